"""The files of a package, with their modes, and a tar archive of them that depends on nothing else."""

from __future__ import annotations

import gzip
import io
import tarfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from toolchain.sdk import REPOSITORY


@dataclass(frozen=True)
class Entry:
    """A file of a package: its path below the root, without a slash at its start."""

    path: str
    data: bytes
    mode: int = 0o644


def below(directory: str, target: str) -> list[Entry]:
    """Returns the files below a directory of the repository as entries below a target; executables stay executable."""
    found = []
    for path in sorted((REPOSITORY / directory).rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            name = path.relative_to(REPOSITORY / directory).as_posix()
            found.append(Entry(f"{target}/{name}", path.read_bytes(), 0o755 if path.stat().st_mode & 0o100 else 0o644))
    return found


def file(source: str, target: str, mode: int = 0o644) -> Entry:
    """Returns one file of the repository as an entry."""
    return Entry(target, (REPOSITORY / source).read_bytes(), mode)


def compressed(entry: Entry) -> Entry:
    """Returns an entry compressed by gzip, without its name and time."""
    return Entry(f"{entry.path}.gz", gzip.compress(entry.data, 9, mtime=0), entry.mode)


def directories(entries: Iterable[Entry]) -> list[str]:
    """Returns all directories above the entries, sorted."""
    found = {str(parent) for entry in entries for parent in PurePosixPath(entry.path).parents}
    return sorted(found - {"."})


def write_tree(entries: Iterable[Entry], root: Path) -> None:
    """Writes entries below a directory, with their modes whatever the umask is."""
    entries = list(entries)
    for name in directories(entries):
        (root / name).mkdir(exist_ok=True)
        (root / name).chmod(0o755)
    for entry in entries:
        path = root / entry.path
        path.write_bytes(entry.data)
        path.chmod(entry.mode)


def tar(entries: Iterable[Entry], time: int) -> bytes:
    """Returns a tar archive: sorted, owner root, one time."""
    entries = sorted(entries, key=lambda entry: entry.path)
    names = {entry.path: entry for entry in entries}
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name in sorted({*names, *directories(entries)}):
            info = tarfile.TarInfo(name)
            info.mtime = time
            info.uname = info.gname = "root"
            entry = names.get(name)
            if entry is None:
                info.type, info.mode = tarfile.DIRTYPE, 0o755
                archive.addfile(info)
            else:
                info.mode, info.size = entry.mode, len(entry.data)
                archive.addfile(info, io.BytesIO(entry.data))
    return stream.getvalue()

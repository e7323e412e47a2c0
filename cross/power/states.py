"""The states of a service during power cuts: the settings, and the expected files of the system."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import tarfile
from pathlib import Path

from .oplog import OperationLog

LINES = 400
"""Lines of the file from a template: enough for several blocks, so that a partial file is detected."""
DOCUMENT = "demo"
"""The file of the area `documents` that is included in each change."""
ZONES = 12
"""The number of zones in the tz database of the system."""
SETTINGS = ("demo/number", "system/hostname", "system/timezone", "kernel/sysctl/vm.swappiness", f"documents/{DOCUMENT}")
"""The settings of each change: five adapters write a file each, of which one is a link and one is a document."""
PARTS = {"root": "", "cleat/files/documents": "documents/"}
"""The directories of a service's place that follow its settings, and the prefixes of their entries' names here."""

SCHEMA = json.dumps({
    "type": "object",
    "properties": {"demo": {"type": "object", "properties": {"number": {"type": "integer"}}}},
    "x-cleat-apply": [{"file": "/etc/demo.conf", "escape": "line", "mode": "0640",
                       "template": [f"{line} = {{{{demo/number}}}}" for line in range(LINES)]}],
})
"""The file `schema.d/10-demo.json` of the configuration."""


def document(number: int) -> bytes:
    """The content of the document in a state: several blocks."""
    return f"document {number}\n".encode() * 1000


def zone(number: int) -> str:
    """The time zone in a state: another one than in the state before."""
    return f"Etc/GMT-{number % ZONES}"


def values(number: int) -> list[object]:
    """The values of the settings in a state; in state 0 none of them is set."""
    if not number:
        return [None] * len(SETTINGS)
    held = hashlib.sha256(document(number)).hexdigest()
    return [number, f"board-{number}", zone(number), number, f"sha256:{held}"]


def make_factory(root: Path) -> None:
    """Makes the system as it is before anything was set."""
    for directory in ("", "etc", "etc/sysctl.d", "usr", "usr/share", "usr/share/zoneinfo", "usr/share/zoneinfo/Etc"):
        (root / directory).mkdir()
        (root / directory).chmod(0o755)
    zones = [(f"usr/share/zoneinfo/{zone(number)}", "zone\n", 0o644) for number in range(ZONES)]
    for name, content, mode in (
            ("etc/hostname", "factory\n", 0o600), ("etc/demo.conf", "number = 0\n", 0o644), *zones):
        (root / name).write_text(content)
        (root / name).chmod(mode)


def tree(number: int) -> dict[str, str]:
    """The result of `read_tree` for the system in a state."""
    expected = {
        "etc": "directory 755", "etc/sysctl.d": "directory 755", "usr": "directory 755", "usr/share": "directory 755",
        "usr/share/zoneinfo": "directory 755", "usr/share/zoneinfo/Etc": "directory 755",
        **{f"usr/share/zoneinfo/{zone(number)}": _file(0o644, "zone\n") for number in range(ZONES)},
        "etc/hostname": _file(0o600, "factory\n"), "etc/demo.conf": _file(0o644, "number = 0\n")}
    if number:
        demo = "".join(f"{line} = {number}\n" for line in range(LINES))
        expected |= {
            "etc/hostname": _file(0o600, f"board-{number}\n"),
            "etc/localtime": f"link ../usr/share/zoneinfo/{zone(number)}",
            "etc/demo.conf": _file(0o640, demo),
            f"documents/{DOCUMENT}": _file(0o640, document(number).decode()),
            "etc/sysctl.d/60-cleat.conf": _file(
                0o644, f"# Written by Cleat from kernel/sysctl.\nvm.swappiness = {number}\n")}
    return expected


def read_tree(place: Path) -> dict[str, str]:
    """Every entry of the system at a service's place: what it is, its mode, and all that it holds."""
    found = {}
    for part, name_here in PARTS.items():
        for directory, directories, files in os.walk(place / part):
            for name in directories + files:
                path = Path(directory, name)
                status = path.lstat()
                mode = stat.S_IMODE(status.st_mode)
                if stat.S_ISLNK(status.st_mode):
                    said = f"link {os.readlink(path)}"
                elif stat.S_ISDIR(status.st_mode):
                    said = f"directory {mode:o}"
                elif stat.S_ISREG(status.st_mode):
                    said = _file(mode, path.read_bytes().decode("utf-8", "replace"))
                else:
                    said = "something special"
                found[name_here + str(path.relative_to(place / part))] = said
    return found


def read_archive(content: bytes) -> dict[str, str]:
    """The result of `read_tree` for a place whose `PARTS` were packed by tar."""
    found = {}
    with tarfile.open(fileobj=io.BytesIO(content)) as archive:
        for member in archive:
            inside = [(part, name) for part, name in PARTS.items() if member.name.startswith(f"{part}/")]
            if member.issym():
                said = f"link {member.linkname}"
            elif member.isdir():
                said = f"directory {member.mode:o}"
            elif (file := archive.extractfile(member)) is not None:
                said = _file(member.mode, file.read().decode("utf-8", "replace"))
            else:
                said = "something special"
            for part, name in inside:
                found[name + member.name.removeprefix(f"{part}/").rstrip("/")] = said
    return found


def differences(found: dict[str, str], wanted: dict[str, str]) -> list[str]:
    """The differences of two trees, a line for each entry."""
    return [f"{place} is {found.get(place, 'not there')[:60]!r}, not {wanted.get(place, 'not there')[:60]!r}"
            for place in sorted(found.keys() | wanted.keys()) if found.get(place) != wanted.get(place)]


def may(before: int, after: int) -> str:
    """The note of a disk's log that from now on a cut leaves one of two states, whole."""
    return f"may {before} {after}"


def allowed(log: OperationLog, position: int) -> dict[str, int]:
    """The two states that a cut at a position may leave; they are one where nothing was in flight."""
    before = after = 0
    for note in log.notes:
        if note.position > position:
            break
        word, _, rest = note.text.partition(" ")
        if word == "may":
            before, after = map(int, rest.split())
    return {"before": before, "after": after}


def _file(mode: int, content: str) -> str:
    return f"file {mode:o} of {len(content)}: {content}"

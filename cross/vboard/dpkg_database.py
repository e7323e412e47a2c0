"""The database that dpkg would have written, if it had installed the packages of an image."""

from __future__ import annotations

import hashlib
import io
import re
import subprocess
import tarfile
from pathlib import Path

from .errors import BoardError


def write_database(debs: list[Path], directory: Path) -> None:
    """Writes `status`, `info` and `triggers` of installed packages into a directory like `/var/lib/dpkg`."""
    for name in ("info", "triggers", "updates", "parts", "alternatives"):
        (directory / name).mkdir(parents=True)
    for name in ("available", "diversions", "statoverride", "lock", "lock-frontend", "triggers/Lock", "triggers/Unincorp"):
        (directory / name).touch()
    (directory / "info/format").write_text("1\n")
    interests: dict[str, list[str]] = {}
    stanzas = []
    for deb in debs:
        control = control_files(deb)
        text = control.pop("control").decode()
        fields = dict(re.findall(r"^([A-Za-z0-9-]+): (.*)$", text, re.MULTILINE))
        # Packages that two architectures may have at the same time are listed with theirs.
        is_shared = fields.get("Multi-Arch") == "same"
        name = f"{fields['Package']}:{fields['Architecture']}" if is_shared else fields["Package"]
        for part, data in control.items():
            path = directory / "info" / f"{name}.{part}"
            path.write_bytes(data)
            path.chmod(0o755 if part in ("preinst", "postinst", "prerm", "postrm", "config") else 0o644)
        members = listed_files(deb)
        (directory / "info" / f"{name}.list").write_text("".join(f"{path}\n" for path in members))
        note_interests(interests, name, control.get("triggers", b"").decode())
        stanzas.append(stanza(text, configuration_sums(deb, control.get("conffiles", b"").decode().split())))
    (directory / "status").write_text("".join(stanzas))
    files = [f"{path} {user}\n" for path, users in sorted(interests.items()) if path.startswith("/") for user in users]
    (directory / "triggers/File").write_text("".join(files))
    for trigger, users in interests.items():
        if not trigger.startswith("/"):
            (directory / "triggers" / trigger).write_text("".join(f"{user}\n" for user in users))


def stanza(control: str, sums: dict[str, str]) -> str:
    """Returns the entry of an installed package in `status`: its control fields, its state, its configuration files."""
    first, _, rest = control.strip().partition("\n")
    lines = [first, "Status: install ok installed", rest]
    if sums:
        lines += ["Conffiles:", *(f" {path} {digest}" for path, digest in sums.items())]
    return "\n".join(lines) + "\n\n"


def note_interests(interests: dict[str, list[str]], package: str, text: str) -> None:
    """Adds the triggers that a package is interested in, each with the package's name as dpkg keeps it."""
    for line in text.splitlines():
        words = line.split("#")[0].split()
        if len(words) == 2 and words[0].startswith("interest"):
            interests.setdefault(words[1], []).append(package + ("/noawait" if words[0].endswith("-noawait") else ""))


def control_files(deb: Path) -> dict[str, bytes]:
    """Returns the files of a package's control archive."""
    with archive(deb, "--ctrl-tarfile") as tar:
        return {member.name.removeprefix("./"): contents(tar, member) for member in tar if member.isfile()}


def listed_files(deb: Path) -> list[str]:
    """Returns the paths of a package as dpkg lists them; the first one is the root directory."""
    with archive(deb, "--fsys-tarfile") as tar:
        names = [member.name.removeprefix(".").rstrip("/") for member in tar]
    return [name or "/." for name in names]


def configuration_sums(deb: Path, paths: list[str]) -> dict[str, str]:
    """Returns the MD5 sum of each configuration file of a package."""
    if not paths:
        return {}
    with archive(deb, "--fsys-tarfile") as tar:
        found = {member.name.removeprefix("."): contents(tar, member) for member in tar if member.isfile()}
    return {path: hashlib.md5(found[path], usedforsecurity=False).hexdigest() for path in paths if path in found}


def contents(tar: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    """Returns the contents of a regular file of an archive."""
    file = tar.extractfile(member)
    return file.read() if file else b""


def archive(deb: Path, part: str) -> tarfile.TarFile:
    """Opens one of the two archives of a package."""
    done = subprocess.run(["dpkg-deb", part, str(deb)], capture_output=True, timeout=120)
    if done.returncode != 0:
        raise BoardError(f"{deb.name} cannot be read: {done.stderr.decode(errors='replace').strip()[-300:]}")
    return tarfile.open(fileobj=io.BytesIO(done.stdout))

"""Builds the Debian package with dpkg-deb."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from toolchain.failure import MISSING, Failure
from toolchain.sdk import REPOSITORY

from .contents import Entry, directories, write_tree
from .inputs import DEBIAN, Release

SCRIPTS = ("postinst", "prerm", "postrm")


def control_files(entries: list[Entry], arch: str, release: Release, maintainer: str) -> list[Entry]:
    """Returns the files of the package's control archive."""
    control = (REPOSITORY / "deploy/debian/control").read_text(encoding="utf-8")
    # As dpkg-gencontrol counts: KiB, each file and each directory rounded up.
    size = sum(-(-len(entry.data) // 1024) for entry in entries) + len(directories(entries))
    for name, value in (
            ("VERSION", release.debian_version), ("ARCHITECTURE", DEBIAN[arch]), ("MAINTAINER", maintainer),
            ("SIZE", str(size))):
        control = control.replace(f"@{name}@", value)
    sums = "".join(f"{hashlib.md5(entry.data, usedforsecurity=False).hexdigest()}  {entry.path}\n" for entry in entries)
    scripts = [Entry(name, (REPOSITORY / "deploy/debian" / name).read_bytes(), 0o755) for name in SCRIPTS]
    return [Entry("control", control.encode()), Entry("md5sums", sums.encode()), *scripts]


def build_package(entries: list[Entry], arch: str, release: Release, maintainer: str, output: Path) -> Path:
    """Writes the package into a directory and returns its path."""
    tool = shutil.which("dpkg-deb")
    if tool is None:
        raise Failure("there is no dpkg-deb", status=MISSING, then="install it: apt-get install dpkg")
    target = output / f"cleat_{release.debian_version}_{DEBIAN[arch]}.deb"
    with tempfile.TemporaryDirectory(prefix=".deb-", dir=output) as directory:
        root = Path(directory) / "root"
        root.mkdir()
        root.chmod(0o755)
        write_tree(entries, root)
        control = [Entry(f"DEBIAN/{one.path}", one.data, one.mode)
                   for one in control_files(entries, arch, release, maintainer)]
        write_tree(control, root)
        for path in [root, *root.rglob("*")]:
            os.utime(path, (release.time, release.time))
        # One thread: the number of threads changes how xz divides its blocks. Level 6 takes 9 MiB on the board.
        answer = subprocess.run(
            [tool, "--root-owner-group", "-Zxz", "-z6", "--build", str(root), str(Path(directory) / "package.deb")],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=600,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(release.time), "DPKG_DEB_THREADS_MAX": "1", "LC_ALL": "C.UTF-8"})
        if answer.returncode:
            raise Failure(f"dpkg-deb failed: {answer.stderr.strip()[:800]}")
        (Path(directory) / "package.deb").replace(target)
    return target

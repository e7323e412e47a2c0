"""SQLite's released source: Debian's source package, pinned, or an amalgamation that the user gives."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from . import children
from .cache import cache_directory, file_digest, text_digest
from .download import fetch
from .failure import MISSING, Failure, say


@dataclass(frozen=True)
class Tarball:
    """A file of the source package; the SHA-1 is its address on snapshot.debian.org, the SHA-256 its seal."""

    name: str
    sha256: str
    sha1: str


#: The release, and Debian's security fixes on top of it.
VERSION = "3.46.1"
RELEASE = Tarball(
    "sqlite3_3.46.1.orig.tar.xz", "d0cdd2ece271b29e7ce18095745d892517ee26d0f270065b3a25c2e9eb11639c",
    "0a1dee600409dded148a8595d8f8b7b7c6a3c2a9")
PATCHES = Tarball(
    "sqlite3_3.46.1-7+deb13u2.debian.tar.xz", "59d33bc436258603702bb051d645743ab03612b82f79e7c7d638c65127c21261",
    "9df0075462130032e1641d6646c01e691dbe0a40")
#: The amalgamation that these two give; what is made on another machine must be the same.
POOL = "pool/main/s/sqlite3"
OLDEST = (3, 40, 0)


@dataclass(frozen=True)
class Source:
    """The source of SQLite, and a key for it."""

    kind: str
    key: str
    given: Path | None = None


def find_source() -> Source:
    """Returns the amalgamation in CLEAT_SQLITE_AMALGAMATION, or else the pinned source package."""
    given = os.environ.get("CLEAT_SQLITE_AMALGAMATION")
    if not given:
        return Source("debian", text_digest(VERSION, RELEASE.sha256, PATCHES.sha256))
    path = Path(given).absolute()
    if path.is_dir():
        checked = path / "sqlite3.c"
    elif path.is_file():
        checked = path
    else:
        raise Failure(f"CLEAT_SQLITE_AMALGAMATION: {path} is not there", status=MISSING)
    if not checked.is_file():
        raise Failure(f"CLEAT_SQLITE_AMALGAMATION: {path} holds no sqlite3.c", status=MISSING)
    found = file_digest(checked)
    pinned = os.environ.get("CLEAT_SQLITE_CHECKSUM")
    if pinned and pinned.lower() != found:
        raise Failure(f"{checked} has checksum {found}, must have {pinned} (CLEAT_SQLITE_CHECKSUM)")
    if not pinned:
        say(f"{checked.name}: SHA-256 {found}, not checked (CLEAT_SQLITE_CHECKSUM pins it)")
    return Source("amalgamation", text_digest(found), path)


def make_amalgamation(source: Source, directory: Path, options: list[str]) -> str:
    """Puts sqlite3.c, sqlite3.h and sqlite3ext.h into a directory; returns the version."""
    if source.given:
        _copy_amalgamation(source.given, directory)
    else:
        _build_amalgamation(directory, options)
    header = (directory / "sqlite3.h").read_text(encoding="utf-8")
    version = re.search(r'#define SQLITE_VERSION +"([\d.]+)"', header)
    if not version:
        raise Failure("sqlite3.h does not say its version")
    if tuple(int(part) for part in version[1].split(".")[:3]) < OLDEST:
        raise Failure(
            f"SQLite {version[1]} is too old, the store needs {'.'.join(map(str, OLDEST))} or newer",
            then="give a newer amalgamation, or unset CLEAT_SQLITE_AMALGAMATION")
    return version[1]


def _copy_amalgamation(given: Path, directory: Path) -> None:
    wanted = {"sqlite3.c", "sqlite3.h", "sqlite3ext.h"}
    try:
        if given.is_dir():
            for name in wanted:
                if (given / name).is_file():
                    shutil.copy(given / name, directory / name)
        elif zipfile.is_zipfile(given):
            with zipfile.ZipFile(given) as archive:
                for entry in archive.namelist():
                    if os.path.basename(entry) in wanted:
                        (directory / os.path.basename(entry)).write_bytes(archive.read(entry))
        else:
            with tarfile.open(given) as archive:
                for member in archive:
                    name = os.path.basename(member.name)
                    content = archive.extractfile(member) if member.isfile() and name in wanted else None
                    if content:
                        (directory / name).write_bytes(content.read())
    except (tarfile.TarError, zipfile.BadZipFile) as error:
        raise Failure(f"{given} cannot be unpacked: {error}") from error
    for name in ("sqlite3.c", "sqlite3.h"):
        if not (directory / name).is_file():
            raise Failure(f"{given} holds no {name}", then="give sqlite-amalgamation-….zip, or the directory with its files")


def mirrors() -> list[str]:
    """Returns Debian mirrors: the given one, those of this machine's apt, the general one."""
    found = [os.environ["CLEAT_DEBIAN_MIRROR"].rstrip("/")] if os.environ.get("CLEAT_DEBIAN_MIRROR") else []
    if shutil.which("apt-get"):
        sites = subprocess.run(
            ["apt-get", "indextargets", "--format", "$(SITE)", "Created-By: Packages"], capture_output=True, text=True,
            check=False, stdin=subprocess.DEVNULL).stdout.split()
        found += [site.rstrip("/") for site in sites if site.startswith("http") and site.rstrip("/").endswith("/debian")]
    return list(dict.fromkeys([*found, "http://deb.debian.org/debian"]))


def fetch_tarball(tarball: Tarball) -> Path:
    """Fetches a file of the source package from a mirror, or, once the mirrors have dropped it, from Debian's archive
    of everything that there ever was."""
    kept = cache_directory() / "sources" / f"{tarball.sha256[:16]}-{tarball.name}"
    if kept.exists() and file_digest(kept) == tarball.sha256:
        return kept
    kept.unlink(missing_ok=True)
    if os.environ.get("CLEAT_OFFLINE", "0") not in ("", "0"):
        raise Failure(
            f"{tarball.name} is not in the cache, and CLEAT_OFFLINE is set", status=MISSING,
            then="put SQLite's amalgamation somewhere and name it in CLEAT_SQLITE_AMALGAMATION")
    say(f"fetching {tarball.name}")
    addresses = [f"{mirror}/{POOL}/{tarball.name}" for mirror in mirrors()]
    addresses.append(f"https://snapshot.debian.org/file/{tarball.sha1}")
    try:
        return fetch(addresses, tarball.sha256, kept)
    except Failure as failure:
        raise Failure(
            str(failure), status=failure.status,
            then="name a Debian mirror in CLEAT_DEBIAN_MIRROR, or an amalgamation in CLEAT_SQLITE_AMALGAMATION; a newer "
            "version of Debian's package is pinned in cross/toolchain/sqlite_source.py") from failure


def _build_amalgamation(directory: Path, options: list[str]) -> None:
    """Unpacks the source package, applies Debian's patches, and runs SQLite's own scripts for the amalgamation:
    only they can also remove the omitted features from the parser."""
    for name in ("tclsh", "patch", "make", "cc", "xz"):
        if not shutil.which(name):
            raise Failure(f"{name} is missing", status=MISSING, then="install what is missing: .ci/setup cross")
    release, patches = fetch_tarball(RELEASE), fetch_tarball(PATCHES)
    tree = directory / "tree"
    tree.mkdir()
    _run(["tar", "-x", "--no-same-owner", "--strip-components=1", "-f", str(release), "-C", str(tree)], directory)
    _run(["tar", "-x", "--no-same-owner", "-f", str(patches), "-C", str(tree)], directory)
    for line in (tree / "debian/patches/series").read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            _run(["patch", "-p1", "-s", "--no-backup-if-mismatch", "-i", f"debian/patches/{line}"], tree)
    work = tree / "work"
    work.mkdir()
    _run(
        ["make", "-s", "-f", "../Makefile.linux-gcc", "TOP=..", "BCC=cc -O1 -w", "TCC=cc", f"OPTS={' '.join(options)}",
         "sqlite3.c"], work)
    for name in ("sqlite3.c", "sqlite3.h", "sqlite3ext.h"):
        shutil.copy(work / name, directory / name)
    shutil.rmtree(tree)


def _run(command: list[str], directory: Path) -> None:
    answer = children.run(
        command, cwd=directory, capture=True, text=True, env=children.environment(), seconds=600)
    if answer.returncode:
        raise Failure(f"{command[0]} failed while SQLite's source was made ready:\n{(answer.stderr or answer.stdout)[-1500:]}")

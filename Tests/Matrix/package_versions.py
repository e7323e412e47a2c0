"""Two versions of the packages, made of one set of static programs.

The programs of the second version have a few bytes more at their ends, which the kernel does not load: so a file on a board
is of one version, of the other, or damaged. Both print the same version. The manual pages and completions are those of
programs without a function.
"""

from __future__ import annotations

import hashlib
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "cross"), str(Path(__file__).resolve().parents[1] / "Cross")]

from package_support import package, write_programs  # noqa: E402
from toolchain.budget import PRODUCTS  # noqa: E402
from toolchain.failure import Failure  # noqa: E402

ARCH = "aarch64"
NUMBERS = ("0.1.0", "0.2.0")


@dataclass(frozen=True)
class Version:
    """The packages of one version."""

    number: str
    deb: Path
    tarball: Path
    #: The checksum of each program by its path on a board.
    sums: dict[str, str]


def make_versions(programs: Path, directory: Path) -> tuple[Version, Version]:
    """Makes the packages of both versions in a directory."""
    older, newer = (make_version(number, programs, directory / number) for number in NUMBERS)
    return older, newer


def make_version(number: str, programs: Path, directory: Path) -> Version:
    """Makes the packages of one version."""
    ending = b"" if number == NUMBERS[0] else f"\nversion {number} of a test\n".encode()
    (directory / "programs").mkdir(parents=True)
    sums = {}
    for name in PRODUCTS:
        data = (programs / name).read_bytes() + ending
        (directory / "programs" / name).write_bytes(data)
        (directory / "programs" / name).chmod(0o755)
        sums[f"/usr/bin/{name}"] = hashlib.sha256(data).hexdigest()
    answer = package(
        ARCH, "--programs", str(directory / "programs"), "--texts-from", str(write_programs(directory / "texts", number)),
        "--output", str(directory / "made"), "--version", number)
    if answer.returncode:
        raise Failure(f"cross/package failed: {answer.stderr.strip()[-800:]}", status=answer.returncode)
    return Version(number, next((directory / "made").glob("*.deb")), next((directory / "made").glob("*.tar.xz")), sums)

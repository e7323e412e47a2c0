"""The version, the time and the programs of a package."""

from __future__ import annotations

import datetime
import os
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

from toolchain.budget import PRODUCTS, require
from toolchain.failure import MISSING, Failure
from toolchain.sdk import REPOSITORY

#: The names that Debian gives the architectures.
DEBIAN = {"aarch64": "arm64", "x86_64": "amd64"}
VERSION_SOURCE = "Sources/CleatAPI/CleatVersion.swift"


@dataclass(frozen=True)
class Release:
    """The version of the packages, and the time of all files in them."""

    version: str
    #: Seconds since 1970.
    time: int

    @property
    def debian_version(self) -> str:
        """The version as dpkg compares it: a pre-release is before its release."""
        return self.version.replace("-", "~")

    @property
    def moment(self) -> datetime.datetime:
        """The time in UTC."""
        return datetime.datetime.fromtimestamp(self.time, datetime.timezone.utc)


def find_release(version: str | None = None) -> Release:
    """Returns the version in the sources, or the given one, and the time of SOURCE_DATE_EPOCH or of the last commit."""
    if version is None:
        source = (REPOSITORY / VERSION_SOURCE).read_text(encoding="utf-8")
        found = re.search(r'static let text = "([^"]+)"', source)
        if not found:
            raise Failure(f"{VERSION_SOURCE} has no version")
        version = found[1]
    if not re.fullmatch(r"[0-9]+(\.[0-9]+)+(-[0-9A-Za-z.]+)?", version):
        raise Failure(f"{version} is not a version; give one such as 1.2.3 or 1.2.3-rc.1")
    return Release(version, _time())


def _time() -> int:
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is not None:
        if not re.fullmatch(r"[0-9]{1,11}", given):
            raise Failure(f"SOURCE_DATE_EPOCH is {given!r}, not a number of seconds")
        return int(given)
    answer = subprocess.run(
        ["git", "-C", str(REPOSITORY), "log", "-1", "--format=%ct"], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL)
    if answer.returncode or not answer.stdout.strip():
        raise Failure(
            f"git has no time of the last commit: {answer.stderr.strip()[:200]}",
            then="set SOURCE_DATE_EPOCH to the release's time")
    return int(answer.stdout)


def find_programs(arch: str, directory: Path | None) -> dict[str, bytes]:
    """Returns the static programs for an architecture, in a directory or in its subdirectory ARCH, after a check."""
    place = directory or REPOSITORY / ".build-cross/out"
    if (place / arch).is_dir():
        place /= arch
    missing = [product for product in PRODUCTS if not (place / product).is_file()]
    if missing:
        raise Failure(
            f"{place} has no {', '.join(missing)}", status=MISSING,
            then=f"build them: cross/build {arch}; or give the directory of the programs: --programs DIR")
    require(place, arch)
    return {product: (place / product).read_bytes() for product in PRODUCTS}

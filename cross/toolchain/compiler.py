"""The Swift toolchain of this machine."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .failure import MISSING, Failure


@dataclass(frozen=True)
class Compiler:
    """The compiler's version, as an SDK must have it too, and where its tools lie."""

    version: str
    tag: str
    bin: Path

    @property
    def minor(self) -> str:
        """The version without its patch level: a binary module's format depends on it."""
        return ".".join(self.version.split(".")[:2])

    def tool(self, name: str) -> str:
        """Returns a tool of the toolchain itself, or the machine's own where the toolchain has none."""
        own = self.bin / name
        found = str(own) if own.exists() else shutil.which(name)
        if not found:
            raise Failure(
                f"{name} is missing, in {self.bin} as well as on PATH", status=MISSING,
                then="install the packages that are missing: .ci/setup cross")
        return found


def find_compiler() -> Compiler:
    """Asks the Swift compiler on PATH who it is."""
    if not shutil.which("swift"):
        raise Failure(
            "no swift on PATH", status=MISSING,
            then="install Swift 6.2 or newer: https://www.swift.org/install/linux/")
    try:
        answer = subprocess.run(
            ["swift", "-print-target-info"], capture_output=True, text=True, timeout=60, check=True, stdin=subprocess.DEVNULL)
        info = json.loads(answer.stdout)
        named = info["compilerVersion"]
        resources = Path(info["paths"]["runtimeResourcePath"])
    except (subprocess.SubprocessError, ValueError, KeyError) as error:
        raise Failure(f"swift -print-target-info gave no answer: {error}", status=MISSING) from error
    version = re.search(r"Swift version (\d+\.\d+(?:\.\d+)?)", named)
    if not version:
        raise Failure(f"the compiler's version cannot be read from “{named}”", status=MISSING)
    tag = info.get("swiftCompilerTag") or f"swift-{version[1]}-RELEASE"
    return Compiler(version[1], tag, (resources / "../../bin").resolve())

"""Builds what a run of the tests needs and what is not there yet."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from toolchain import children
from toolchain.failure import MISSING, Failure

REPOSITORY = Path(__file__).resolve().parents[2]
#: The sources of the binaries; the tests' own sources come on top for the test bundle.
SOURCES = ["Sources", "Package.swift", "cross/toolchain", "cross/build"]
TEST_SOURCES = [*SOURCES, "Tests", "deploy", "cross/build-tests", "cross/units"]


def output(arch: str) -> Path:
    """The directory of the outputs of `cross/build` and `cross/build-tests`."""
    return REPOSITORY / ".build-cross/out" / arch


def _newest(places: Iterable[str]) -> float:
    newest = 0.0
    for place in places:
        path = REPOSITORY / place
        files = path.rglob("*") if path.is_dir() else [path] if path.exists() else []
        for file in files:
            if file.is_file() and file.suffix not in (".py", ".pyc", ".md") or file.parent.name == "toolchain":
                newest = max(newest, file.stat().st_mtime)
    return newest


def is_current(made: Path, sources: list[str]) -> bool:
    """True if an output is newer than its sources."""
    return made.is_file() and made.stat().st_mtime >= _newest(sources)


def _build(words: list[str], say: Callable[[str], None]) -> None:
    say("building: " + " ".join(words))
    # What it prints for scripts (sizes) is for a person here.
    done = children.run([str(REPOSITORY / words[0]) if "/" in words[0] else words[0], *words[1:]], cwd=REPOSITORY,
                        stdout=sys.stderr)
    if done.returncode != 0:
        raise Failure(
            f"{' '.join(words)} failed", then="--no-build runs the tests with what was built before",
            status=done.returncode if done.returncode == MISSING else 1)


def build_missing(arch: str, *, units: bool, power: bool, say: Callable[[str], None]) -> None:
    """Builds the binaries, the test bundle and the verifiers of power cuts if they are missing or older than sources."""
    place = output(arch)
    if (units or power) and not is_current(place / "tests/cleat-tests", TEST_SOURCES):
        _build(["cross/build-tests", arch], say)
    elif not (is_current(place / "cleatd", SOURCES) and is_current(place / "cleat", SOURCES)):
        _build(["cross/build", arch], say)
    for name in ("StoreWriter", "cleatd") if power else ():
        if not any(os.access(REPOSITORY / ".build" / kind / name, os.X_OK) for kind in ("debug", "release")):
            _build(["swift", "build", "--product", name], say)

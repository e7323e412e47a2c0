"""Builds the test program and puts together the directory that is copied to a target."""

from __future__ import annotations

import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from toolchain import flags
from toolchain.binaries import Build
from toolchain.budget import PRODUCTS
from toolchain.cache import locked
from toolchain.failure import Failure, say
from toolchain.sdk import REPOSITORY, triple

from . import tree

#: The program that runs the tests; the others are in its directory.
PROGRAM = "cleat-tests"
#: Programs that exist for the tests alone. The optimiser gives the start of each async `main` the same weak symbol, and the
#: linker takes the first: such a program's name comes after `cleatPackageTests`, the program of the tests.
AIDS = (
    "StoreWriter", "observer-probe", "sandbox-probe", "lamp", "counter", "watcher", "memento", "postbox", "recorder", "panel",
    "shutter")
_BUILT = "cleatPackageTests.xctest"


@dataclass(frozen=True)
class TestBuild(Build):
    """A build of the test program, in a copy of the package's tree.

    What is tested is optimised (`tree`): in a debug build the same tests take five times the processor's time, which on an
    emulated board is the difference between minutes and an hour.
    """

    lean: str = "0"
    #: The package whose tree is copied to `source`.
    package: Path = REPOSITORY
    #: Builds all tests, not only the files with tests for boards.
    everything: bool = False

    def environment(self) -> dict[str, str]:
        """Returns the environment of `Build`, with the modules whose tests are built."""
        chosen = "" if self.everything else ",".join(tree.board_modules(self.package))
        return {**super().environment(), "CLEAT_TESTS": chosen}

    def flags(self) -> list[str]:
        """Returns SwiftPM's flags."""
        return flags.swiftpm(
            ["-enable-testing"], flags.c_size(), ["--gc-sections", "-z", f"stack-size={flags.STACK}"])

    def run(self) -> Path:
        """Builds all tests and returns the directory that they are in, unstripped."""
        with locked(self.scratch.parent / f".{self.scratch.name}.lock"):
            self._forget_other_sdk()
            tree.copy_sources(self.package, self.source, everything=self.everything)
            say(f"building the tests for {triple(self.arch)}")
            self._swift(["--build-tests", "--disable-index-store", "-debug-info-format", "none"])
        return self.scratch / triple(self.arch) / "release"


def place(build: TestBuild, built: Path, output: Path) -> None:
    """Puts everything that a target needs into `output`, whole or not at all: the stripped test program, the two programs
    of the same build, the tests' own aids, and what tests read of the package. The symbols come next to it."""
    output.parent.mkdir(parents=True, exist_ok=True)
    objcopy = build.compiler.tool("llvm-objcopy")
    with locked(output.parent / ".tests.lock"), tempfile.TemporaryDirectory(prefix=".tests-", dir=output.parent) as new:
        work = Path(new) / "tests"
        work.mkdir()
        debug = output.parent / f"{PROGRAM}.debug"
        _objcopy([objcopy, "--only-keep-debug", str(built / _BUILT), str(debug)])
        for source, name in [(_BUILT, PROGRAM), *((name, name) for name in (*PRODUCTS, *AIDS))]:
            _objcopy([objcopy, "--strip-all", "--remove-section=.comment", str(built / source), str(work / name)])
            (work / name).chmod(0o755)
        tree.copy_read(build.package, work / "package")
        if output.exists():
            output.rename(Path(new) / "old")
        work.rename(output)


def _objcopy(command: list[str]) -> None:
    answer = subprocess.run(
        command, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=300)
    if answer.returncode:
        raise Failure(f"{' '.join(command)} failed: {answer.stderr.strip()[:400]}")

"""The package's own build on this machine, and its tests there."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Sequence

from target.shell import ShellTarget
from target.suites import SuiteResult
from target.units import UnitRun

from .command import title
from .run import REPOSITORY, Run

#: Seconds for one module of tests; the slowest takes half a minute on two quiet cores.
MODULE_LIMIT = 300
#: Seconds in which a module has to say something: it hangs where it does not.
SILENCE_LIMIT = 120


class ThisMachine(ShellTarget):
    """This machine as it is, without the namespaces of `target.local`: tests make those that they need themselves."""

    name = "this machine"
    slowness = 1
    architecture = os.uname().machine
    directory = str(REPOSITORY)

    def _arguments(self, line: str) -> list[str]:
        return ["/bin/sh", "-c", line]

    def _gone(self) -> str | None:
        return None

    def close(self) -> None:
        self._end_processes()
        self._closed = True


class NativeRun(UnitRun):
    """Runs the test bundle of `swift build` where it lies, module by module: one that hangs or dies is told by name,
    and the others still tell."""

    def __init__(
        self, target: ThisMachine, program: Sequence[str], patience: float, filters: Sequence[str] = (),
    ) -> None:
        """Takes the words that start the test program; `patience` stretches the limits, `filters` choose tests."""
        super().__init__(
            target, REPOSITORY, filters=filters, everything=True, say=lambda line: print(line, flush=True), module_limit=MODULE_LIMIT * patience,
            silence_limit=SILENCE_LIMIT * patience, program=program, directory=str(REPOSITORY),
            environment={"PYTHONPATH": python_path(), "NO_COLOR": "1"})

    def _copy(self, result: object) -> None:
        """Copies nothing: everything is there."""

    def _clean(self) -> None:
        """Removes nothing."""


def python_path() -> str:
    """Where Python finds the independent Varlink client, and what it found before."""
    return os.pathsep.join(filter(None, [str(REPOSITORY / ".build-python"), os.environ.get("PYTHONPATH")]))


def run_native(run: Run) -> bool:
    """Builds, looks for what is wrong with the sources, runs the tests; whether there is a build to go on with."""
    if not run.step("build", ["swift", "build", "--build-tests"], limit=1200):
        return False
    run.step("lint", [".ci/lint"], limit=300)
    title("tests on this machine")
    start = time.monotonic()
    result = SuiteResult("this machine")
    run.results.append(result)
    with ThisMachine() as target:
        done = NativeRun(target, [bundle(), "--testing-library", "swift-testing"], run.patience).run()
    done.add_to(result)
    result.seconds = time.monotonic() - start
    return True


def bundle() -> str:
    """The test program that `swift build --build-tests` has made."""
    place = subprocess.run(
        ["swift", "build", "--show-bin-path"], cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=300,
        stdin=subprocess.DEVNULL)
    return f"{place.stdout.strip()}/cleatPackageTests.xctest"

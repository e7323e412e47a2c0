"""The package's own build on this machine, and its tests there."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence

from target.shell import ShellTarget
from target.units import UnitRun

from .command import title
from .run import REPOSITORY, Run

#: CLEAT_BUILD_FLAGS are further words for SwiftPM.
BUILD = ["swift", "build", "--build-tests", *os.environ.get("CLEAT_BUILD_FLAGS", "").split()]


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
    """Runs a test program of this machine in its place, module by module: one that hangs or dies is named, and the
    others still run."""

    def __init__(self, target: ThisMachine, program: Sequence[str], filters: Sequence[str] = (),
                 environment: dict[str, str] | None = None) -> None:
        """Takes the words that start the test program; `filters` choose tests."""
        super().__init__(
            target, REPOSITORY, filters=filters, everything=True, say=lambda line: print(line, flush=True),
            program=program, directory=str(REPOSITORY),
            environment={"PYTHONPATH": python_path(), "NO_COLOR": "1", **(environment or {})})

    def _copy(self, result: object) -> None:
        """Copies nothing: everything is there."""

    def _clean(self) -> None:
        """Removes nothing."""


def python_path() -> str:
    """Returns where Python finds the independent Varlink client, before its other directories."""
    return os.pathsep.join(filter(None, [str(REPOSITORY / ".build-python"), os.environ.get("PYTHONPATH")]))


def build(run: Run, modules: Sequence[str] = ()) -> bool:
    """Builds the package and its tests, or those of some modules; returns whether there is a build to go on with."""
    return run.step("build", BUILD, environment={"CLEAT_TESTS": ",".join(modules)} if modules else {})


def test(run: Run, filters: Sequence[str] = (), environment: dict[str, str] | None = None) -> None:
    """Runs the tests that `build` has built."""
    title("tests on this machine")
    with run.timed("tests on this machine"), ThisMachine() as target:
        done = NativeRun(target, [bundle(), "--testing-library", "swift-testing"], filters, environment).run()
    run.results += done.suites()


def compare_figures(run: Run) -> None:
    """Compares the exact figures of the programs that `build` has built; each row counts as a test."""
    title("exact figures")
    told = run.directory / "exact.json"
    command = run.start(["Benchmarks/exact", "--results", str(told)])
    run.add_suites("exact figures", command, run.wait("exact figures", command), told)


def bundle() -> str:
    """Returns the path of the test program that `swift build --build-tests` has made."""
    place = subprocess.run(
        ["swift", "build", "--show-bin-path"], cwd=REPOSITORY, capture_output=True, text=True, check=False, timeout=300,
        stdin=subprocess.DEVNULL)
    return f"{place.stdout.strip()}/cleatPackageTests.xctest"

"""The common parts of all system tests: one target for a run, the programs on it, and the agent that a test starts.

`cross/test` chooses the target. By hand: `CLEAT_TARGET=local CLEAT_PROGRAMS=.build/debug python3 -m unittest discover -s
Tests/OnTarget -t Tests/OnTarget`.
"""

from __future__ import annotations

import atexit
import os
import shlex
import sys
import unittest
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "cross"))

from agent import RunningAgent  # noqa: E402
from target.errors import TargetError  # noqa: E402
from target.opening import open_target  # noqa: E402
from target.target import Target  # noqa: E402


class Run:
    """The target of this run of the tests and what is known of it; there is one."""

    def __init__(self) -> None:
        self.open: Callable[[], Target] = self._from_environment
        #: A directory of this machine with `cleatd` and `cleat` for the target.
        self.programs: Path | None = None
        #: True if they are the stripped, static ones that the budgets apply to.
        self.is_release = False
        #: True for a short run: less is repeated, and no times are measured.
        self.is_quick = False
        #: The measured figures: rows of measure, figure, and the hold of budgets.md.
        self.figures: list[tuple[str, str, str]] = []
        self._target: Target | None = None
        self._failure: str | None = None

    def _from_environment(self) -> Target:
        self.programs = Path(os.environ.get("CLEAT_PROGRAMS", REPOSITORY / ".build/debug"))
        return open_target(
            os.environ.get("CLEAT_TARGET", "local"), image=os.environ.get("CLEAT_IMAGE", "bare"),
            ssh=shlex.split(os.environ.get("CLEAT_SSH", "ssh")))

    def target(self) -> Target:
        """The target; it is opened for the first test, and once more where a test has lost it."""
        if self._failure:
            raise TargetError(self._failure)
        if self._target is not None and not self._target.is_alive():
            print(f"{self._target.name} is lost; it is started again", file=sys.stderr)
            self.close()
        if self._target is None:
            try:
                self._target = self.open()
            except TargetError as error:
                # Each of the other tests would wait for the same again.
                self._failure = str(error)
                raise
        return self._target

    def close(self) -> None:
        """Closes the target."""
        if self._target is not None:
            self._target.close()
            self._target = None


RUN = Run()
atexit.register(RUN.close)


class OnTarget(unittest.TestCase):
    """A test of the real programs on a target. It is skipped, with the reason, if the target cannot run it."""

    maxDiff = None
    #: Words of `target.CAPABILITIES` or kinds of device without which no test of the class can run.
    needs: tuple[str, ...] = ()
    target: Target

    @classmethod
    def setUpClass(cls) -> None:
        cls.target = RUN.target()
        if cls.can_run():
            cls.prepare()

    @classmethod
    def prepare(cls) -> None:
        """Prepares the target once, before the tests of a class, if they can run on it."""

    @classmethod
    def can_run(cls) -> bool:
        """Returns True if the target has everything that the class needs."""
        return cls.target.can(*cls.needs)

    def require(self, *capabilities: str) -> None:
        """Skips the test where the target lacks one of these."""
        missing = [word for word in capabilities if not self.target.can(word)]
        if missing:
            raise unittest.SkipTest(f"{self.target.name} has no {', no '.join(missing)}")

    def setUp(self) -> None:
        type(self).target = RUN.target()
        self.require(*self.needs)
        self.agents: list[RunningAgent] = []
        self._plugged_in: list[str] = []
        self.directory = f"{self.target.directory}/{self._testMethodName[:40]}"
        self.target.check(f"rm -rf {self.directory}; umask 022; mkdir -p {self.directory}")
        self.addCleanup(self._clean_up)

    def run(self, result: unittest.TestResult | None = None) -> unittest.TestResult | None:
        assert result is not None
        before = len(result.failures) + len(result.errors)
        try:
            return super().run(result)
        finally:
            if len(result.failures) + len(result.errors) > before:
                for agent in getattr(self, "agents", []):
                    print(f"--- log of the agent of {self._testMethodName}:\n{agent.log}", file=sys.stderr)

    def _clean_up(self) -> None:
        for name in self._plugged_in:
            if self.target.is_alive():
                self.target.unplug(name)
        for agent in self.agents:
            agent.close()
        if self.target.is_alive():
            self.target.run(f"rm -rf {self.directory}")

    def plug(self, kind: str, name: str) -> None:
        """Plugs in a device, which goes with the test at the latest."""
        self.target.plug(kind, name)
        self._plugged_in.append(name)

    def unplug(self, name: str) -> None:
        """Pulls a device out."""
        self._plugged_in.remove(name)
        self.target.unplug(name)

    def programs(self) -> str:
        """The directory on the target with `cleatd` and `cleat`; they are copied when they are not there."""
        place = f"{self.target.directory}/bin"
        if not self.target.exists(f"{place}/done"):
            assert RUN.programs is not None
            for name in ("cleatd", "cleat"):
                file = RUN.programs / name
                if not file.exists():
                    raise TargetError(f"{file} is missing; cross/build {self.target.architecture} makes it")
                self.target.put(file, f"{place}/{name}", mode=0o755)
            self.target.put(b"", f"{place}/done")
        return place

    def start(self, *, state: str | None = None, arguments: tuple[str, ...] = ()) -> RunningAgent:
        """Starts the agent in the test's directory and waits until it is ready; it ends with the test."""
        agent = RunningAgent(self.target, self.programs(), self.directory, state=state, arguments=arguments)
        self.agents.append(agent)
        agent.start()
        return agent

    def write_hook(self, name: str, match: str, script: str, *, rest: str = "") -> None:
        """Writes a hook file and its script, which finds the test's directory in `$D`."""
        program = f"{self.directory}/{name}.sh"
        self.target.put(f"#!/bin/sh\nD={self.directory}\n{script}\n".encode(), program, mode=0o755)
        self.target.put(
            f'{{ match: {match}, run: ["{program}"], {rest} }}\n'.encode(), f"{self.directory}/etc/hooks.d/{name}.json5")

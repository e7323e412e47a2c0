"""One run of the tests: what has happened, how much time is left, and what is said at the end."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from target.suites import SuiteResult
from target.summary import summary
from toolchain.failure import MISSING

from .command import Command, title

REPOSITORY = Path(__file__).resolve().parents[2]
#: Minutes for all of it; what is still running then is ended, and the end of the output says what it was. On a machine
#: with other work CLEAT_CI_MINUTES gives more, and each step its share.
MINUTES = 38


class Run:
    """Runs steps one after the other, or beside each other, and adds up what comes of them."""

    def __init__(self, total: float | None = None) -> None:
        """Starts the clock; `total` is in seconds."""
        self._began = time.monotonic()
        minutes = float(os.environ.get("CLEAT_CI_MINUTES") or MINUTES)
        self._total = total if total is not None else minutes * 60
        #: How many times longer than usual each step may take.
        self.patience = max(1.0, minutes / MINUTES)
        self._running: list[Command] = []
        self._logs = tempfile.TemporaryDirectory(prefix=f"cleat-ci-{os.getpid()}-")
        #: Suites of tests, and steps that failed or were skipped.
        self.results: list[SuiteResult] = []
        #: Name and seconds of each step that was no suite.
        self.times: list[tuple[str, float]] = []

    @property
    def left(self) -> float:
        """Seconds until the end of the run; never less than one."""
        return max(1.0, self._total - (time.monotonic() - self._began))

    @property
    def directory(self) -> Path:
        """A directory for logs and results, which goes with the run."""
        return Path(self._logs.name)

    def start(
        self, words: Sequence[str], *, limit: float, show: bool = True, environment: Mapping[str, str] | None = None,
    ) -> Command:
        """Starts a command in the repository; `limit` is in seconds of a machine without other work, and the time that
        is left bounds it, too."""
        log = self.directory / f"{len(self.times)}-{len(self._running)}-{Path(words[0]).name}.log"
        command = Command(words, limit=min(limit * self.patience, self.left), log=log, environment=environment, show=show)
        self._running.append(command)
        return command

    def wait(self, name: str, command: Command) -> int | None:
        """Waits for a command's end; returns its status, or None where its time was over."""
        status = command.wait()
        self._running.remove(command)
        self.times.append((name, command.seconds))
        return status

    def step(self, name: str, words: Sequence[str], *, limit: float, lacks: bool = False) -> bool:
        """Runs a command that is no test; whether it went well.

        One that does not is counted as a failure. With `lacks`, the status 69 says that this machine lacks a part for
        it, and the step is skipped with the reason.
        """
        return self.finish(self.begin(name, words, limit=limit), lacks=lacks)

    def begin(self, name: str, words: Sequence[str], *, limit: float) -> tuple[str, Command]:
        """Starts a step, beside which others may run until it is finished."""
        title(name)
        return name, self.start(words, limit=limit)

    def finish(self, begun: tuple[str, Command], *, lacks: bool = False) -> bool:
        """Waits for the end of a step that was begun; whether it went well, as `step` tells it."""
        name, command = begun
        status = self.wait(name, command)
        if status == 0:
            return True
        if lacks and status == MISSING:
            self.skip(name, reason(command.tail))
        else:
            self.fail(name, f"{ending(command, status)}\n{command.tail}")
        return False

    def fail(self, name: str, said: str) -> None:
        """Counts a step as failed."""
        self.results.append(SuiteResult(name, failed=[(name, said)]))

    def skip(self, name: str, why: str) -> None:
        """Counts a step as skipped."""
        print(f"skipped: {name}: {why}", flush=True)
        self.results.append(SuiteResult(name, skipped=[(name, why)]))

    def end(self) -> None:
        """Ends what is still running, and removes the logs."""
        for command in self._running:
            command.end()
        self._running.clear()
        self._logs.cleanup()

    def report(self) -> list[str]:
        """What is printed at the end; the last line counts all tests."""
        lines = ["", f"{'step':<40} {'time':>8}"]
        lines += [f"{name:<40} {seconds:6.0f} s" for name, seconds in self.times]
        return [*lines, "", *summary(self.results, time.monotonic() - self._began)]

    @property
    def passed(self) -> bool:
        """Whether tests ran and nothing failed."""
        return any(result.passed for result in self.results) and not any(result.failed for result in self.results)


def ending(command: Command, status: int | None) -> str:
    """How a command has ended, in words."""
    words = " ".join(command.words[:4])
    if status is None:
        return f"{words} did not end within {command.limit:.0f} s and was ended"
    return f"{words} ended with status {status}"


def reason(said: str) -> str:
    """The one line that says what a machine lacks, from a tool's messages."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error: " in line]
    return errors[-1].partition("error: ")[2] if errors else lines[-1] if lines else "it did not say why"

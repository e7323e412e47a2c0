"""One run of the tests: its steps, its results, its report."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from target.suites import SuiteResult
from target.summary import summary
from toolchain.failure import MISSING

from .command import SILENCE, Command, title

REPOSITORY = Path(__file__).resolve().parents[2]
#: The file with the name and the reason of every skipped test of the last run.
SKIPPED = REPOSITORY / ".build/skipped-tests.txt"
#: The file with the minutes of each part of the last run, as a table.
TIMES = REPOSITORY / ".build/times.md"


class Run:
    """Runs steps one after the other, or next to each other, and adds up their results."""

    def __init__(self, minutes: float | None = None, silence: float = SILENCE) -> None:
        """Starts a run; `minutes` bounds the whole of it (CLEAT_MINUTES where it is not given, no bound without both),
        `silence` bounds the seconds that a step may make no progress."""
        self._began = time.monotonic()
        text = os.environ.get("CLEAT_MINUTES") or "inf"
        self._seconds = 60 * (minutes if minutes is not None else float(text))
        self._silence = silence
        self._lock = threading.Lock()
        self._numbers = itertools.count()
        self._running: list[Command] = []
        self._logs = tempfile.TemporaryDirectory(prefix=f"cleat-ci-{os.getpid()}-")
        #: Suites of tests, and steps that failed, were interrupted or skipped.
        self.results: list[SuiteResult] = []
        #: Name and seconds of each step.
        self.times: list[tuple[str, float]] = []

    def left(self) -> float:
        """Returns the seconds until the end of the whole run; infinite without a bound."""
        return self._seconds - (time.monotonic() - self._began)

    @property
    def directory(self) -> Path:
        """A directory for logs and results, which is removed with the run."""
        return Path(self._logs.name)

    def start(
        self, words: Sequence[str], *, show: bool = True, environment: Mapping[str, str] | None = None,
    ) -> Command:
        """Starts a command in the repository."""
        log = self.directory / f"{next(self._numbers)}-{Path(words[0]).name}.log"
        command = Command(
            words, log=log, environment=environment, show=show, silence=self._silence, left=self.left)
        with self._lock:
            self._running.append(command)
        return command

    def wait(self, name: str, command: Command) -> int | None:
        """Waits for a command's end; returns its status, or None where it was ended."""
        status = command.wait()
        with self._lock:
            self._running.remove(command)
            self.times.append((name, command.seconds))
        return status

    @contextlib.contextmanager
    def timed(self, name: str) -> Iterator[None]:
        """Adds the time of a part that is no single command."""
        start = time.monotonic()
        try:
            yield
        finally:
            with self._lock:
                self.times.append((name, time.monotonic() - start))

    def step(
        self, name: str, words: Sequence[str], *, lacks: bool = False, environment: Mapping[str, str] | None = None,
    ) -> bool:
        """Runs a command that is not a test; returns whether it succeeded.

        A failure is counted. With `lacks`, status 69 means that this machine lacks a part for it: the step is skipped
        with the reason.
        """
        title(name)
        return self.finish(name, self.start(words, environment=environment), lacks=lacks)

    def finish(self, name: str, command: Command, *, lacks: bool = False) -> bool:
        """Waits for the end of a step that was started; returns whether it succeeded, as `step` does."""
        status = self.wait(name, command)
        if status == 0:
            return True
        if lacks and status == MISSING:
            self.skip(name, reason(command.tail))
        else:
            self.add_ending(name, command, status)
        return False

    def add_ending(self, name: str, command: Command, status: int | None) -> None:
        """Counts a command as interrupted where it was ended, and as failed where it ended by itself."""
        words = " ".join(command.words[:4])
        if status is None:
            self.results.append(SuiteResult(name, interrupted=[(words, command.interrupted or "")]))
        else:
            self.results.append(
                SuiteResult(name, failed=[(name, f"{words} ended with status {status}\n{command.tail}")]))

    def add_suites(self, name: str, command: Command, status: int | None, told: Path) -> None:
        """Adds the suites that a command wrote to `told`; one that wrote less than it did counts as well."""
        suites = [SuiteResult.from_json(suite) for suite in json.loads(told.read_text())["suites"]] if told.exists() else []
        self.results += suites
        if status == 0 and suites:
            return
        if status != 1 or not any(suite.failed or suite.interrupted for suite in suites):
            self.add_ending(name, command, status)

    def skip(self, name: str, why: str) -> None:
        """Counts a step as skipped."""
        print(f"skipped: {name}: {why}", flush=True)
        self.results.append(SuiteResult(name, skipped=[(name, why)]))

    def end(self) -> None:
        """Ends what is still running, and removes the logs."""
        for command in list(self._running):
            command.end()
        self._running.clear()
        self._logs.cleanup()

    def report(self) -> list[str]:
        """Returns what is printed at the end; the last line counts all tests."""
        seconds = time.monotonic() - self._began
        TIMES.parent.mkdir(parents=True, exist_ok=True)
        TIMES.write_text("\n".join(self.table(seconds)) + "\n", encoding="utf-8")
        lines = ["", f"{'part':<40} {'minutes':>8}"]
        lines += [f"{name:<40} {part / 60:8.1f}" for name, part in self.times]
        return [*lines, "", *summary(self.results, seconds, SKIPPED)]

    def table(self, seconds: float) -> list[str]:
        """Returns the minutes of each part, and of each suite that took one of a hundred, as a table of Markdown."""
        suites = [(f"suite {result.name}", result.seconds) for result in self.results if result.seconds >= seconds / 100]
        rows = [*self.times, *sorted(suites, key=lambda one: -one[1]), ("the whole run", seconds)]
        return ["| part | minutes |", "|---|---:|", *(f"| {name} | {part / 60:.1f} |" for name, part in rows)]

    @property
    def passed(self) -> bool:
        """True if tests ran, none failed and nothing was interrupted."""
        return any(result.passed for result in self.results) and not any(
            result.failed or result.interrupted for result in self.results)


def reason(said: str) -> str:
    """Returns the one line of a tool's messages that says what a machine lacks."""
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    errors = [line for line in lines if "error: " in line]
    return errors[-1].partition("error: ")[2] if errors else lines[-1] if lines else "it gave no reason"

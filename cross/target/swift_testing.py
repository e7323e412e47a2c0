"""Reads what a swift-testing program prints."""

from __future__ import annotations

import re
import sys
import time
from collections import Counter, deque

#: Seconds between two lines about the progress: more on a terminal than in a log.
_PROGRESS = 5 if sys.stderr.isatty() else 60
_SAID_LIMIT = 4000

#: The name of a test: not the run's own lines, nor those of one set of arguments.
_TEST = r"Test (?!run |case passing )(.+?)"
_END = r"(?: with \d+ test cases?)? {} after ([\d.]+) seconds?(?: with .*)?\.$"
_STARTED = re.compile(f"^◇ {_TEST} started\\.$")
_PASSED = re.compile(f"^✔ {_TEST}{_END.format('passed')}")
_FAILED = re.compile(f"^✘ {_TEST}{_END.format('failed')}")
_SKIPPED = re.compile(f'^➜ {_TEST} skipped(?:: "?(.*?)"?|\\.)?$')
_ISSUE = re.compile(f"^✘ {_TEST} recorded an issue\\b")
_ENDED = re.compile(r"^[✔✘] Test run with (\d+) tests?.* (passed|failed) after")
_ANY = re.compile(r"^[◇✔✘➜] ")
#: A line that begins in the middle of another: a program of a test had printed there without ending its own.
_INNER = re.compile(r"(?<!^)[◇✔✘➜] Test ")


class OutputReader:
    """Counts tests as their lines come.

    The format is the one for people; the stream of events for machines is fifty times as long, and a slow board takes
    longer to write it than to run the tests.
    """

    def __init__(self) -> None:
        self.passed = 0
        #: Name and what was said.
        self.failed: list[tuple[str, str]] = []
        #: Name and reason.
        self.skipped: list[tuple[str, str]] = []
        #: Name of each test that ran, and how many seconds it took.
        self.times: list[tuple[str, float]] = []
        #: True if the run has reported its end.
        self.ended = False
        self._running: Counter[str] = Counter()
        self._said: dict[str, list[str]] = {}
        self._speaker: str | None = None
        self._last: deque[str] = deque(maxlen=8)
        self._told = time.monotonic()

    @property
    def finished(self) -> int:
        """The number of tests that have ended."""
        return self.passed + len(self.failed) + len(self.skipped)

    @property
    def running(self) -> list[str]:
        """The names of the tests that have started and not ended."""
        return sorted(self._running)

    @property
    def progress(self) -> str:
        return f"{len(self.failed)} failed, {self._running.total()} running"

    @property
    def tail(self) -> str:
        """The last lines, for a run that broke off."""
        return " / ".join(self._last)

    def read(self, line: str) -> bool:
        """Handles a line; returns True if it is time to report the progress."""
        self._last.append(line[:300])
        line = _without_rest(line)
        if not _ANY.match(line):
            # More lines of an issue, or what a test itself has printed.
            if self._speaker:
                self._hear(self._speaker, line)
            return False
        self._speaker = None
        if match := _STARTED.match(line):
            self._running[match[1]] += 1
        elif match := _ISSUE.match(line):
            self._speaker = match[1]
            self._hear(match[1], line)
        elif match := _SKIPPED.match(line):
            self.skipped.append((match[1], match[2] or "no reason given"))
        elif match := _PASSED.match(line):
            self._end(match[1], match[2])
            self.passed += 1
        elif match := _FAILED.match(line):
            self._end(match[1], match[2])
            self.failed.append((match[1], "\n".join(self._said.pop(match[1], ["no issue was reported"]))))
        elif _ENDED.match(line):
            self.ended = True
        if time.monotonic() - self._told < _PROGRESS:
            return False
        self._told = time.monotonic()
        return True

    def _end(self, name: str, seconds: str) -> None:
        self.times.append((name, float(seconds)))
        self._running[name] -= 1
        if self._running[name] <= 0:
            del self._running[name]

    def _hear(self, name: str, line: str) -> None:
        said = self._said.setdefault(name, [])
        if sum(map(len, said)) < _SAID_LIMIT:
            said.append(line[:_SAID_LIMIT])


def _without_rest(line: str) -> str:
    """The line from the start of the test's own output, if an unfinished line is before it: a program's, or the runner's
    own about an argument with a NUL in it, which musl truncates there."""
    kinds = (_STARTED, _PASSED, _FAILED, _SKIPPED, _ISSUE, _ENDED)
    for start in [0, *(match.start() for match in _INNER.finditer(line))]:
        if any(kind.match(line[start:]) for kind in kinds):
            return line[start:]
    return line

"""Ends what hangs: a time limit for a whole run, or for one test, that is raised where the program is."""

from __future__ import annotations

import signal
from types import FrameType

from target.errors import LimitReached


class RunLimit:
    """Raises `LimitReached` in the main thread once, after so many seconds; what follows asks `reached`."""

    def __init__(self, seconds: float | None) -> None:
        """Starts the clock; without a number of seconds there is no limit."""
        self.reached: str | None = None
        self._seconds = seconds
        if seconds is not None:
            signal.signal(signal.SIGALRM, self._over)
            signal.setitimer(signal.ITIMER_REAL, seconds)

    def _over(self, number: int, frame: FrameType | None) -> None:
        self.reached = f"the limit of the whole run, {self._seconds:.0f} s, was reached"
        raise LimitReached(self.reached)

    def begin(self) -> None:
        """A test begins."""

    def end(self) -> None:
        """A test has ended."""


class TestLimit:
    """Raises `LimitReached` in a test that takes longer than so many seconds; the next one has its own."""

    def __init__(self, seconds: float) -> None:
        self.reached: str | None = None
        self._seconds = seconds
        signal.signal(signal.SIGALRM, self._over)

    def _over(self, number: int, frame: FrameType | None) -> None:
        raise LimitReached(f"the test did not end within {self._seconds:.0f} s")

    def begin(self) -> None:
        """Starts the clock for a test."""
        signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def end(self) -> None:
        """Stops it."""
        signal.setitimer(signal.ITIMER_REAL, 0)

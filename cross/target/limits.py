"""Ends a test that hangs: a time limit that is raised where the test is."""

from __future__ import annotations

import signal
from types import FrameType

from target.errors import LimitReached

#: Seconds that one test may take, and that a test program may be silent: longer than any test that makes progress, on
#: any machine.
SILENCE = 600


class TestLimit:
    """Raises `LimitReached` in a test that takes longer than so many seconds; the next one has its own."""

    def __init__(self, seconds: float = SILENCE) -> None:
        self._seconds = seconds
        signal.signal(signal.SIGALRM, self._over)

    def _over(self, number: int, frame: FrameType | None) -> None:
        raise LimitReached(f"the test did not end within {self._seconds:g} s")

    def begin(self) -> None:
        """Starts the clock for a test."""
        signal.setitimer(signal.ITIMER_REAL, self._seconds)

    def end(self) -> None:
        """Stops it."""
        signal.setitimer(signal.ITIMER_REAL, 0)

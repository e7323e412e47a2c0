"""The errors between a test and its target, as opposed to those of the tested programs."""

from __future__ import annotations


class TargetError(Exception):
    """Says what failed on which target, and what to do next.

    A test never expects one: it means that nothing is known about what was tested.
    """


class TargetGone(TargetError):
    """The target does not answer any more: it was cut, has crashed, or cannot be reached."""


class TargetTimeout(TargetError):
    """The target answers, but a command or an event did not come within its time limit."""


class TargetMissing(TargetError):
    """This machine lacks a part that the target needs; no test was started."""


class MissingCapability(TargetError):
    """The target cannot do what was asked of it; a test asks `Target.can` first and is skipped."""


class LimitReached(TargetTimeout):
    """The time of the whole run, or of one test, is over; nothing is waited for any more."""

"""The one error of the virtual board."""

from __future__ import annotations


class BoardError(Exception):
    """Says what failed, where, and what to do next; carries the end of the console where there is one.

    `missing` is true if this machine lacks a part: the state of the board is unknown then.
    """

    def __init__(self, what: str, *, remedy: str = "", console: str = "", missing: bool = False) -> None:
        self.what = what
        self.missing = missing
        self.remedy = remedy
        self.console = console
        parts = [what + (f"; {remedy}" if remedy else "")]
        if console.strip():
            parts.append("the end of the console:\n" + "\n".join("    " + line for line in console.splitlines()))
        super().__init__("\n".join(parts))


class BoardTimeout(BoardError):
    """A wait that reached its limit."""

"""The cases of the table of versions: for each verb of a client, calls with real effects, in text and in JSON.

A case is run with each pair of client and service on a board of its own, first in text, then in JSON. It makes calls by
``Calls.run`` and checks their effects by Varlink calls and by files of the board.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from version_board import Board, Failed
from version_calls import Calls


@dataclass(frozen=True)
class Case:
    """A case: a verb, or an option of a verb that is newer than the verb."""

    name: str
    work: Callable[[Calls], None]
    #: True if the older client does not have the option.
    is_newer: bool = False

    def verb(self, verbs: list[str]) -> str | None:
        """Returns the verb among those of a client; None if the client does not have it."""
        return max((verb for verb in verbs if f"{self.name} ".startswith(f"{verb} ")), key=len, default=None)


CASES: dict[str, Case] = {}


def case(name: str, is_newer: bool = False) -> Callable[[Callable[[Calls], None]], Callable[[Calls], None]]:
    """Returns a decorator that adds a case."""
    def add(work: Callable[[Calls], None]) -> Callable[[Calls], None]:
        CASES[name] = Case(name, work, is_newer)
        return work
    return add


def expect(what: str, found: Any, wanted: Any) -> None:
    """Requires that the effect of a call is the wanted one."""
    if found != wanted:
        raise Failed(f"without effect: {what} is {found!r} instead of {wanted!r}")


def expect_value(board: Board, path: str, wanted: Any) -> None:
    """Requires that a setting has a value."""
    expect(path, board.value(path), wanted)


def expect_host(board: Board, wanted: str) -> None:
    """Requires that the system's host name is the wanted one."""
    expect("/etc/hostname", board.read("root/etc/hostname"), f"{wanted}\n")


def generation(board: Board) -> int:
    """Returns the number of the newest generation."""
    number = board.call("dev.cleat.Service.Status")["generation"]
    assert isinstance(number, int)
    return number


def put_on_trial(calls: Calls, identifier: str) -> None:
    """Puts a change of the host name on trial by a call."""
    board = calls.board
    board.set({"system/hostname": f"trial-{calls.n}", "app/count": 70 + calls.n}, id=identifier, confirm=300_000)
    expect("the change on trial", board.trial(), identifier)
    expect_host(board, f"trial-{calls.n}")

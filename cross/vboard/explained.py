"""Adds to an error what a person needs to see."""

from __future__ import annotations

import threading
from typing import Any, Callable

from .errors import BoardError

CONSOLE_TAIL = 40


class Explained:
    """Adds what was being done, and the end of the console, to an error of the board."""

    depth = threading.local()

    def __init__(self, console: Callable[[], str], doing: str) -> None:
        self.console = console
        self.doing = doing

    def __enter__(self) -> None:
        self.depth.count = getattr(self.depth, "count", 0) + 1

    def __exit__(self, kind: Any, error: BaseException | None, trace: Any) -> None:
        self.depth.count -= 1
        if isinstance(error, BoardError) and not error.console and self.depth.count == 0:
            tail = "\n".join(self.console().splitlines()[-CONSOLE_TAIL:])
            raise type(error)(f"{self.doing}: {error.what}", remedy=error.remedy, console=tail or " ",
                              missing=error.missing) from error

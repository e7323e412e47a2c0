"""The error with which a cross tool ends."""

from __future__ import annotations

import argparse
import os
import signal
import sys
from typing import Callable, NoReturn

USAGE = 64
MISSING = 69
FAILED = 1


class Failure(Exception):
    """Says what failed and where, what to do next, and the exit status to end with."""

    def __init__(self, what: str, *, then: str = "", status: int = FAILED) -> None:
        super().__init__(what)
        self.then = then
        self.status = status


def say(text: str) -> None:
    """Writes one line for a person; standard output is kept for what scripts read."""
    print(f"{os.path.basename(sys.argv[0])}: {text}", file=sys.stderr, flush=True)


def run_main(main: Callable[[], None]) -> NoReturn:
    """Runs a tool's main function and turns its failures into a message and an exit status.

    A terminated program ends its children and removes its temporary files, like an interrupted one.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        main()
    except Failure as failure:
        say(f"error: {failure}")
        if failure.then:
            print(f"  {failure.then}", file=sys.stderr)
        sys.exit(failure.status)
    except KeyboardInterrupt:
        say("interrupted")
        sys.exit(130)
    sys.exit(0)


class Parser(argparse.ArgumentParser):
    """An argument parser that ends with the status for wrong usage."""

    def error(self, message: str) -> NoReturn:
        self.print_usage(sys.stderr)
        self.exit(USAGE, f"{self.prog}: error: {message}\n")

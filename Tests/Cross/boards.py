"""The common parts of the tests of the virtual board."""

from __future__ import annotations

import contextlib
import sys
import unittest
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cross"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from left_behind import descendants, held_directories  # noqa: E402
from vboard import image  # noqa: E402
from vboard.errors import BoardError  # noqa: E402

BIG = bytes(range(256)) * 40960


def lacks() -> str | None:
    """The parts for a board that this machine lacks; None if it has all."""
    try:
        image.ensure("bare")
    except BoardError as error:
        return str(error)
    return None


LACKS = lacks()


@contextlib.contextmanager
def leaves_nothing(test: unittest.TestCase) -> Iterator[None]:
    """Fails a test that leaves a process or a directory behind."""
    directories = held_directories()
    processes = descendants()
    yield
    test.assertEqual(descendants() - processes, set(), "processes were left behind")
    test.assertEqual(held_directories() - directories, set(), "directories were left behind")

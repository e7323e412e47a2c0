"""What the tests of the virtual board share."""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
import unittest
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cross"))

from vboard import image  # noqa: E402
from vboard.errors import BoardError  # noqa: E402

BIG = bytes(range(256)) * 40960


def lacks() -> str | None:
    """What this machine lacks for a board; None where it has all."""
    try:
        image.ensure("bare")
    except BoardError as error:
        return str(error)
    return None


LACKS = lacks()


def children() -> set[int]:
    """The processes that this one started and that are still there."""
    return {int(pid) for task in Path("/proc/self/task").iterdir() for pid in (task / "children").read_text().split()}


@contextlib.contextmanager
def leaves_nothing(test: unittest.TestCase) -> Iterator[None]:
    """Fails a test that leaves a process or a directory behind."""
    directories = set(Path(tempfile.gettempdir()).glob(f"vboard-{os.getpid()}-*"))
    processes = children()
    yield
    test.assertEqual(children() - processes, set(), "processes were left behind")
    left = set(Path(tempfile.gettempdir()).glob(f"vboard-{os.getpid()}-*")) - directories
    test.assertEqual(left, set(), "directories were left behind")

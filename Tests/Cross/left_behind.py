"""The remaining processes and files of a test, and of programs that it has started."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import time
import unittest
from collections.abc import Callable, Iterable
from pathlib import Path

#: Every directory that a run makes for itself begins so.
PREFIXES = ("cleat-board-", "cleat-disk-", "cleat-local-", "cleat-ssh-", "cleat-cuts-")

# What is started in the background of a shell ignores SIGINT, and so does all that it starts; the programs that are ended
# here are to see each signal.
signal.signal(signal.SIGINT, signal.default_int_handler)


def _parents() -> dict[int, int]:
    """The running processes (without zombies), with their parents."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                text = (entry / "stat").read_text()
            except OSError:
                continue
            state, parent = text.rsplit(")", 1)[1].split()[:2]
            if state != "Z":
                parents[int(entry.name)] = int(parent)
    return parents


def descendants(of: int | None = None) -> set[int]:
    """The processes that one (by default this one) has started, directly or indirectly."""
    root = of or os.getpid()
    parents = _parents()
    found = {root}
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return found - {root}


def is_running(pid: int) -> bool:
    """Returns True if a process runs; a zombie does not."""
    return pid in _parents()


def wait_for_end(pids: Iterable[int], seconds: float) -> None:
    """Waits until processes have ended, or the time is over. pidfd_open(2)"""
    deadline = time.monotonic() + seconds
    for pid in pids:
        with contextlib.suppress(ProcessLookupError), os.fdopen(os.pidfd_open(pid)) as process:
            select.select([process], [], [], max(0, deadline - time.monotonic()))


def held_directories() -> set[str]:
    """The directories of their own that this process has open, as a run has while it lasts."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            target = os.readlink(entry)
        except OSError:
            continue
        if os.path.basename(target).startswith(PREFIXES):
            found.add(target)
    return found


def end_in_the_middle(
    test: unittest.TestCase, run: "subprocess.Popen[bytes]", number: int, reached: Callable[[], bool], limit: float = 120,
) -> bytes:
    """Sends a signal to a run once a point is reached, and checks that no process that it has started outlives it.

    Returns what it has printed.
    """
    deadline = time.monotonic() + limit
    while not reached() and time.monotonic() < deadline and run.poll() is None:
        time.sleep(0.05)
    family = descendants(run.pid)
    try:
        test.assertTrue(reached(), "the run did not come so far")
        test.assertNotEqual(family, set(), "nothing was running that could be left behind")
        run.send_signal(number)
        run.wait(limit)
        wait_for_end(family, 20)
        left = family & set(_parents())
        test.assertEqual({pid: _command(pid) for pid in left}, {}, "processes were left behind")
    finally:
        if run.poll() is None:
            run.kill()
        for pid in family & set(_parents()):
            os.kill(pid, signal.SIGKILL)
        out, _ = run.communicate(timeout=20)
    test.assertNotEqual(run.returncode, 0, out)
    return out


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")[:200]
    except OSError:
        return "(gone)"

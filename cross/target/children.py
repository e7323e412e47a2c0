"""Child processes of this machine that do not outlive the program that started them."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence

_LIBC = ctypes.CDLL(None, use_errno=True)
_PR_SET_PDEATHSIG = 1


def _die_with_parent() -> None:
    """Runs in the child: whatever ends the parent (an unhandled SIGKILL, too) ends the child."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def start(arguments: Sequence[str], **options: object) -> subprocess.Popen[bytes]:
    """Starts a program in a process group of its own, which dies with this process.

    The kernel ties this to the thread that calls, so call it from one that stays.
    """
    return subprocess.Popen(  # type: ignore[call-overload]
        list(arguments), preexec_fn=_die_with_parent, process_group=0, **options)


def stop(child: subprocess.Popen[bytes], *, grace: float = 2) -> int:
    """Ends a child and its group: SIGTERM first, SIGKILL after the grace; returns the status.

    Its streams stay open: a thread may read them, and closing would wait for it.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        if child.poll() is not None:
            break
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            pass
        try:
            child.wait(grace)
        except subprocess.TimeoutExpired:
            continue
    return child.wait(grace)


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for programs of this machine whose messages are read: in English, in UTF-8."""
    return {**os.environ, "LC_ALL": "C.UTF-8", **(extra or {})}

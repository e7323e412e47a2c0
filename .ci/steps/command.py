"""A command of this machine with a time limit, of which nothing is left when it is over."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from toolchain import children

#: Seconds that a command has to end by itself once it was told to: a board is switched off in less.
GRACE = 30
#: Seconds of silence after which a command that shows its output is said to be still there.
SILENCE = 60
_TAIL = 60


class Command:
    """A running command; its output goes to a file and, where it is shown, to a person as well."""

    def __init__(
        self, words: Sequence[str], *, limit: float, log: Path, environment: Mapping[str, str] | None = None,
        show: bool = True,
    ) -> None:
        """Starts it; `limit` is in seconds and counts from here."""
        self.words = list(words)
        self.limit = limit
        self.log = log
        self.timed_out = False
        self._tail: deque[str] = deque(maxlen=_TAIL)
        self._show = show
        self._began = self._heard = time.monotonic()
        self._ended: float | None = None
        self._child = children.start(
            self.words, group=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env=children.environment({"NO_COLOR": "1", **(environment or {})}))
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def _read(self) -> None:
        assert self._child.stdout is not None
        with self.log.open("w", encoding="utf-8") as file:
            for line in self._child.stdout:
                text = line.decode("utf-8", "replace").rstrip("\n")
                self._heard = time.monotonic()
                self._tail.append(text)
                file.write(text + "\n")
                file.flush()
                if self._show:
                    print(text, flush=True)
        self._ended = time.monotonic()

    @property
    def seconds(self) -> float:
        """How long it has been running, until now or until it said its last."""
        return (self._ended or time.monotonic()) - self._began

    @property
    def tail(self) -> str:
        """The last lines that it has written."""
        return "\n".join(self._tail)

    def wait(self) -> int | None:
        """Waits for its end, or ends it at the limit; returns its status, or None where the limit has ended it."""
        while True:
            rest = self.limit - self.seconds
            if rest <= 0:
                self.timed_out = True
                self.end()
                break
            try:
                self._child.wait(min(rest, SILENCE))
                break
            except subprocess.TimeoutExpired:
                if time.monotonic() - self._heard >= SILENCE:
                    print(f"… {' '.join(self.words[:3])} has been running for {self.seconds / 60:.0f} min", flush=True)
        # What a child of it that stays behind holds open is not waited for.
        self._reader.join(5)
        if not self._reader.is_alive() and self._child.stdout is not None:
            self._child.stdout.close()
        return None if self.timed_out else self._child.returncode

    def end(self) -> None:
        """Ends it and everything that it has started, as it is told first and by force after the grace."""
        everything = descendants(self._child.pid)
        children.stop(self._child, grace=GRACE)
        for process, born in everything.items():
            if _born(process) == born:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass


def descendants(root: int) -> dict[int, str]:
    """Returns a process and all that it has started, directly or not, each with when it was born."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:  # it has ended in this moment
                continue
    found = {root}
    while more := {process for process, parent in parents.items() if parent in found} - found:
        found |= more
    return {process: born for process in found if (born := _born(process))}


def _born(process: int) -> str:
    """When a process has started, which tells it from a later one of the same number; empty where there is none."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except OSError:
        return ""


def title(text: str) -> None:
    """Begins a part of the output."""
    print(f"\n== {text}", flush=True)
    sys.stdout.flush()

"""A command of this machine that is ended when it makes no progress, and of which nothing remains afterwards."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from toolchain import children

#: Seconds that a command has to end by itself after SIGTERM: a board is switched off in less.
GRACE = 30
#: Seconds without a line of output after which a command makes no progress and is ended.
SILENCE = 600
#: Seconds of silence after which a line says that a command still runs.
REMINDER = 60
_TAIL = 60
#: The most processes of a silent command that are named.
_NAMED = 4


class Command:
    """A running command; its output goes to a file and, where it is shown, to a person as well."""

    def __init__(
        self, words: Sequence[str], *, log: Path, environment: Mapping[str, str] | None = None, show: bool = True,
        silence: float = SILENCE, left: Callable[[], float] = lambda: float("inf"),
    ) -> None:
        """Starts it; it is ended after `silence` seconds without output, and when `left` returns no more seconds."""
        self.words = list(words)
        self.log = log
        #: The reason why it was ended, and what it was doing; None where it ended by itself.
        self.interrupted: str | None = None
        self._silence = silence
        self._left = left
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
        """Seconds from its start until now, or until its last output."""
        return (self._ended or time.monotonic()) - self._began

    @property
    def tail(self) -> str:
        """The last lines of its output."""
        return "\n".join(self._tail)

    def wait(self) -> int | None:
        """Waits for its end; returns its status, or None where it was ended: `interrupted` then says why."""
        reminded = self._began
        while True:
            silent, left = time.monotonic() - self._heard, self._left()
            if silent >= self._silence or left <= 0:
                why = f"no output for {silent:.0f} s" if left > 0 else "the time for the whole run was over"
                self.interrupted = f"{why}; {doing(self._child.pid, self.tail)}"
                self.end()
                break
            try:
                self._child.wait(max(0.01, min(self._silence - silent, left, REMINDER)))
                break
            except subprocess.TimeoutExpired:
                now = time.monotonic()
                if now - max(self._heard, reminded) >= REMINDER:
                    reminded = now
                    print(f"… {' '.join(self.words[:3])} has been running for {self.seconds / 60:.0f} min", flush=True)
        # A child of it that stays behind may hold the pipe open; that is not waited for.
        self._reader.join(5)
        if not self._reader.is_alive() and self._child.stdout is not None:
            self._child.stdout.close()
        return None if self.interrupted else self._child.returncode

    def end(self) -> None:
        """Ends it and everything that it has started: SIGTERM first, SIGKILL after the grace."""
        everything = descendants(self._child.pid)
        children.stop(self._child, grace=GRACE)
        for process, born in everything.items():
            if _born(process) == born:
                try:
                    os.kill(process, signal.SIGKILL)
                except ProcessLookupError:
                    pass


def doing(root: int, tail: str) -> str:
    """Returns the last line of a command's output and the innermost processes that it runs, as one sentence."""
    parents = _parents()
    running = descendants(root)
    innermost = [process for process in running if process not in parents.values()]
    lines = []
    for process in innermost[:_NAMED]:
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace").strip()
        except OSError:  # it has ended meanwhile
            continue
        lines.append(words[:200])
    last = next((line.strip() for line in reversed(tail.splitlines()) if line.strip()), "nothing")
    return f"last output: {last[:300]}; running: {' | '.join(filter(None, lines)) or 'nothing'}"


def _parents() -> dict[int, int]:
    """Returns the parent of every process."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:  # it has ended meanwhile
                continue
    return parents


def descendants(root: int) -> dict[int, str]:
    """Returns a process and all that it has started, directly or not, each with its start time."""
    parents = _parents()
    found = {root}
    while more := {process for process, parent in parents.items() if parent in found} - found:
        found |= more
    return {process: born for process in found if (born := _born(process))}


def _born(process: int) -> str:
    """Returns a process's start time, which distinguishes it from a later one of the same number; empty if there is none."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[19]
    except OSError:
        return ""


def title(text: str) -> None:
    """Prints the title of a part of the output."""
    print(f"\n== {text}", flush=True)

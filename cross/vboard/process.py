"""A process on the board, seen from the host."""

from __future__ import annotations

import os
import signal
import struct
import time
from dataclasses import dataclass
from typing import Iterator

from .agent_link import DATA, FAILED, PIECE, SIGNAL, SIGNALLED, AgentLink, Job
from .errors import BoardError, BoardTimeout


@dataclass(frozen=True)
class Completed:
    """The end of a command: the exit status (or minus the signal's number), and its output."""

    status: int
    out: bytes
    err: bytes

    @property
    def text(self) -> str:
        """The standard output as text."""
        return self.out.decode("utf-8", "replace")

    @property
    def error_text(self) -> str:
        """The standard error as text."""
        return self.err.decode("utf-8", "replace")

    def check(self) -> "Completed":
        """Returns itself, or raises with the standard error where the status is not 0."""
        if self.status != 0:
            raise BoardError(f"the command ended with status {self.status}: {self.error_text.strip()[-2000:]}")
        return self


class Process:
    """A long-running process on the board; its output is streamed while it runs.

    Leaving it as a context manager kills it.
    """

    def __init__(self, link: AgentLink, job: Job, *, group: bool) -> None:
        self._link = link
        self._job = job
        self._group = group
        self._taken = {"out": bytearray(), "err": bytearray()}

    @property
    def pid(self) -> int:
        """The process id on the board."""
        assert self._job.pid is not None
        return self._job.pid

    @property
    def running(self) -> bool:
        """True if the end has not been reported yet."""
        with self._link.condition:
            return not self._job.over

    @property
    def out(self) -> bytes:
        """All of the standard output so far."""
        with self._link.condition:
            return bytes(self._taken["out"] + self._job.out)

    @property
    def err(self) -> bytes:
        """All of the standard error so far."""
        with self._link.condition:
            return bytes(self._taken["err"] + self._job.err)

    def _stream(self, stream: str) -> bytearray:
        return self._job.out if stream == "out" else self._job.err

    def read_line(self, timeout: float = 30, *, stream: str = "out") -> str | None:
        """Returns the next line without its end, or `None` when the stream has ended."""
        buffer = self._stream(stream)
        self._link.wait(lambda: b"\n" in buffer or self._job.over, time.monotonic() + timeout,
                        f"waiting for a line of {self._job.what}")
        with self._link.condition:
            if self._job.failure and b"\n" not in buffer:
                raise BoardError(f"{self._job.failure} during {self._job.what}")
            end = buffer.find(b"\n") + 1 or len(buffer)
            if end == 0:
                return None
            line = bytes(buffer[:end])
            self._taken[stream] += line
            del buffer[:end]
        return line.decode("utf-8", "replace").removesuffix("\n")

    def lines(self, timeout: float = 30, *, stream: str = "out") -> Iterator[str]:
        """Yields lines until the stream ends; each may take `timeout` seconds."""
        while (line := self.read_line(timeout, stream=stream)) is not None:
            yield line

    def read(self, timeout: float = 30, *, stream: str = "out") -> bytes:
        """Returns what a stream holds, waiting for at least one byte; empty at the end."""
        buffer = self._stream(stream)
        self._link.wait(lambda: len(buffer) > 0 or self._job.over, time.monotonic() + timeout,
                        f"waiting for output of {self._job.what}")
        with self._link.condition:
            data = bytes(buffer)
            self._taken[stream] += data
            buffer.clear()
        return data

    def write(self, data: bytes, timeout: float = 60) -> None:
        """Writes to the standard input; waits while the process does not read."""
        deadline = time.monotonic() + timeout
        rest = memoryview(data)
        while rest:
            self._link.wait(lambda: self._job.credit > 0 or self._job.over, deadline,
                            f"writing to the input of {self._job.what}")
            with self._link.condition:
                if self._job.over:
                    return
                count = min(self._job.credit, len(rest), PIECE)
                self._job.credit -= count
            self._link.send(DATA, self._job.number, bytes(rest[:count]), deadline)
            rest = rest[count:]

    def close_input(self) -> None:
        """Ends the standard input."""
        self._link.send(DATA, self._job.number, b"", time.monotonic() + 20)

    def signal(self, number: int, *, group: bool | None = None) -> None:
        """Sends a signal: to the whole process group where a shell runs the command, or else to the process."""
        whole = self._group if group is None else group
        if self.running:
            self._link.send(SIGNAL, self._job.number, struct.pack("<ii", number, whole), time.monotonic() + 20)

    def wait(self, timeout: float = 60) -> int:
        """Waits for the end and returns the exit status, or minus the signal's number."""
        how, value = self._link.finish(self._job, time.monotonic() + timeout)
        if how == FAILED:
            raise BoardError(f"{self._job.what} could not be started: {os.strerror(value)}")
        return -value if how == SIGNALLED else value

    def completed(self, timeout: float) -> Completed:
        """Waits for the end and returns all of it; kills the process at the limit."""
        try:
            status = self.wait(timeout)
        except BoardTimeout as error:
            self._link.cancel(self._job)
            tail = (self.out + self.err).decode("utf-8", "replace").strip()[-2000:]
            raise BoardTimeout(f"{self._job.what} did not end within {timeout:g} s and was killed",
                               remedy=f"so far it wrote: {tail}" if tail else "it wrote nothing") from error
        return Completed(status, self.out, self.err)

    def close(self) -> None:
        """Kills the process where it still runs."""
        with self._link.condition:
            over = self._job.over
        if not over:
            try:
                self.signal(signal.SIGKILL, group=True)
                self.wait(20)
            except BoardError:
                self._link.forget(self._job)

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

"""A process on a target, while it runs and afterwards."""

from __future__ import annotations

import abc
from collections.abc import Iterator
from dataclasses import dataclass

from target.errors import TargetTimeout


@dataclass(frozen=True)
class Completed:
    """The end of a command, and its output.

    `status` is the exit status, or 128 + N for a process that signal N has ended (as a shell says it). `out` and `err`
    are text; bytes that are not UTF-8 are surrogates in them, so `out.encode(errors="surrogateescape")` is exact.
    """

    status: int
    out: str
    err: str

    def __str__(self) -> str:
        return f"status {self.status}\n--- out\n{self.out}\n--- err\n{self.err}"


class Process(abc.ABC):
    """A command that runs on a target while the test goes on. It is a context manager; the end of it ends the process.

    Time limits are in seconds of this machine's speed; the target stretches them (`Target.slowness`).
    """

    #: The process's number on the target; its process group has the same one.
    pid: int

    @abc.abstractmethod
    def read_line(self, timeout: float = 10) -> str | None:
        """Returns the next line of the output without its end, or None once the output has ended.

        Raises `TargetTimeout` when no line comes in time, `TargetGone` when the target has disappeared.
        """

    @abc.abstractmethod
    def write(self, data: bytes) -> None:
        """Writes to the process's standard input, where the target gives it one (`spawn(…, input=True)`)."""

    @abc.abstractmethod
    def signal(self, number: int) -> None:
        """Sends a signal to the process (not to its group)."""

    @abc.abstractmethod
    def wait(self, timeout: float = 10) -> int:
        """Waits for the end; returns the status as `Completed` has it."""

    @abc.abstractmethod
    def close(self) -> None:
        """Kills the process's group, if it still exists, and releases everything. May be called again."""

    @property
    @abc.abstractmethod
    def err(self) -> str:
        """The standard error so far (the first 256 KiB of it)."""

    def lines(self, timeout: float = 10) -> Iterator[str]:
        """Yields lines until the output ends; each has its own time limit."""
        while (line := self.read_line(timeout)) is not None:
            yield line

    def read_until(self, wanted: str, timeout: float = 10) -> list[str]:
        """Reads lines until one contains `wanted`; returns all that were read."""
        seen: list[str] = []
        while True:
            try:
                line = self.read_line(timeout)
            except TargetTimeout as error:
                raise TargetTimeout(f"no line with {wanted!r} came; before: {seen[-20:]}; err: {self.err}") from error
            if line is None:
                raise TargetTimeout(f"the output ended without {wanted!r}; before: {seen[-20:]}; err: {self.err}")
            seen.append(line)
            if wanted in line:
                return seen

    def __enter__(self) -> "Process":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

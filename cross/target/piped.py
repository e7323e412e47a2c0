"""A process on a target whose input and output go through a program of this machine (`ssh`, `nsenter`, a shell)."""

from __future__ import annotations

import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Sequence

from toolchain import children
from target.errors import TargetGone, TargetTimeout
from target.process import Process

_END = None
_ERR_LIMIT = 256 * 1024


class PipedProcess(Process):
    """Follows a program that prints the far process's number in its first line, and then what the process prints."""

    def __init__(
        self, arguments: Sequence[str], *, what: str, slowness: float, kill: Callable[[int, int, bool], None],
        gone: Callable[[], str | None], input: bool,
    ) -> None:
        """Starts it.

        `kill(pid, signal, group)` sends a signal on the target; `gone()` says why the target is not there any more, or
        None where it is.
        """
        self._what = what
        self._slowness = slowness
        self._kill = kill
        self._gone = gone
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._err = bytearray()
        self._ended = False
        self._closed = False
        self._child = children.start(
            arguments, stdin=subprocess.PIPE if input else subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, env=children.environment())
        self._readers = [
            threading.Thread(target=self._read_lines, daemon=True), threading.Thread(target=self._read_err, daemon=True)]
        for reader in self._readers:
            reader.start()
        try:
            first = self.read_line(15)
        except TargetTimeout:
            self.close()
            raise
        if first is None or not first.isdigit():
            self.close()
            raise TargetGone(f"{what} could not be started: {first or ''}{self.err.strip() or gone() or ''}")
        self.pid = int(first)

    def _read_lines(self) -> None:
        stream = self._child.stdout
        assert stream is not None
        try:
            for line in stream:
                self._lines.put(line.decode(errors="surrogateescape").rstrip("\n"))
        except (OSError, ValueError):
            pass
        self._lines.put(_END)

    def _read_err(self) -> None:
        stream = self._child.stderr
        assert stream is not None
        try:
            while block := stream.read1(65536):  # type: ignore[attr-defined]
                self._err += block[: max(0, _ERR_LIMIT - len(self._err))]
        except (OSError, ValueError):
            pass

    @property
    def err(self) -> str:
        return bytes(self._err).decode(errors="replace")

    def read_line(self, timeout: float = 10) -> str | None:
        if self._ended:
            return None
        seconds = timeout * self._slowness
        try:
            line = self._lines.get(timeout=seconds)
        except queue.Empty:
            if why := self._gone():
                raise TargetGone(f"{self._what}: {why}") from None
            raise TargetTimeout(
                f"{self._what} printed no line within {seconds:.0f} s; its messages: {self.err or '(none)'}") from None
        if line is _END:
            self._ended = True
        return line

    def write(self, data: bytes) -> None:
        assert self._child.stdin is not None, "spawn(…, input=True) keeps the input open"
        try:
            self._child.stdin.write(data)
            self._child.stdin.flush()
        except BrokenPipeError:
            raise TargetGone(f"{self._what} does not read its input any more") from None

    def signal(self, number: int) -> None:
        self._kill(self.pid, number, False)

    def wait(self, timeout: float = 10) -> int:
        seconds = timeout * self._slowness
        try:
            status = self._child.wait(seconds)
        except subprocess.TimeoutExpired:
            if why := self._gone():
                raise TargetGone(f"{self._what}: {why}") from None
            raise TargetTimeout(
                f"{self._what} did not end within {seconds:.0f} s; its messages: {self.err or '(none)'}") from None
        for reader in self._readers:
            reader.join(2)
        return status if status >= 0 else 128 - status

    def close(self) -> None:
        if self._closed:
            return
        self._closed = True
        if self._child.poll() is None and getattr(self, "pid", 0):
            try:
                self._kill(self.pid, signal.SIGKILL, True)
                self._child.wait(2 * self._slowness)
            except (TargetGone, TargetTimeout, subprocess.TimeoutExpired):
                pass
        children.stop(self._child, grace=1)
        if self._child.stdin is not None:
            try:
                self._child.stdin.close()
            except OSError:
                pass
        for reader, stream in zip(self._readers, (self._child.stdout, self._child.stderr)):
            # A background process may hold the other end; the thread then ends with it.
            reader.join(1)
            if stream is not None and not reader.is_alive():
                stream.close()


def run_bounded(
    arguments: Sequence[str], *, input: bytes, seconds: float,
) -> tuple[int | None, bytes, bytes]:
    """Runs a program of this machine; the status is None where the time was over (it is killed then)."""
    child = children.start(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=children.environment())
    try:
        out, err = child.communicate(input, timeout=seconds)
        return child.returncode, out, err
    except subprocess.TimeoutExpired as late:
        return None, late.stdout or b"", late.stderr or b""
    finally:
        children.stop(child, grace=1)
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream is not None:
                try:
                    stream.close()
                except OSError:
                    pass


def remaining(deadline: float) -> float:
    """The seconds until a time of the monotonic clock; never less than a tenth."""
    return max(0.1, deadline - time.monotonic())

"""The host's end of the guest agent: frames, jobs, and the order between them."""

from __future__ import annotations

import itertools
import os
import select
import signal
import socket
import struct
import threading
import time
from typing import Callable

from .errors import BoardError, BoardTimeout

MAGIC = 0x544C4356
HEADER = struct.Struct("<IIII")
PAYLOAD_MAX = 65536
PIECE = 32768
STDIN_WINDOW = 65536
OUTPUT_MAX = 256 << 20

HELLO, EXEC, DATA, SIGNAL, PUT, GET, WAIT, CLOCK = range(1, 9)
R_HELLO, R_OUT, R_ERR, R_EXIT, R_CREDIT, R_STARTED, R_FAULT = range(16, 23)
EXITED, SIGNALLED, FAILED = range(3)
EXEC_STDIN, EXEC_TERMINAL = 1, 2


class Job:
    """One thing that the agent does for the host: a process, a file, a wait. Guarded by the link's condition."""

    def __init__(self, number: int, what: str) -> None:
        self.number = number
        self.what = what
        self.out = bytearray()
        self.err = bytearray()
        self.pid: int | None = None
        self.credit = STDIN_WINDOW
        self.ending: tuple[int, int] | None = None
        self.failure: str | None = None

    @property
    def over(self) -> bool:
        """True if nothing more will arrive."""
        return self.ending is not None or self.failure is not None


class AgentLink:
    """Connects to the agent over a socket that QEMU inherits; `feed` is called by the thread that reads."""

    def __init__(self, connection: socket.socket, condition: threading.Condition, death: Callable[[], str | None]):
        self.connection = connection
        self.condition = condition
        self._death = death
        self._buffer = bytearray()
        self._jobs: dict[int, Job] = {}
        self._numbers = itertools.count(1)
        self._sending = threading.Lock()
        self._nonce = b""
        self._broken: str | None = None
        self.greeted = False
        self.announcements = 0
        self.boot_id = ""

    # Arriving frames; all of it is called with the condition held.

    def feed(self, data: bytes) -> None:
        """Takes what arrived from the board."""
        self._buffer += data
        at = 0
        while len(self._buffer) - at >= HEADER.size:
            magic, length, kind, number = HEADER.unpack_from(self._buffer, at)
            if magic != MAGIC or length > PAYLOAD_MAX:
                at += 1
                continue
            if len(self._buffer) - at < HEADER.size + length:
                break
            self._handle(kind, number, bytes(self._buffer[at + HEADER.size:at + HEADER.size + length]))
            at += HEADER.size + length
        del self._buffer[:at]
        self.condition.notify_all()

    def interrupted(self, why: str) -> None:
        """Fails every job: the board, or its agent, was restarted."""
        for job in self._jobs.values():
            job.failure = why
        self._jobs.clear()
        self._buffer.clear()
        self.condition.notify_all()

    def _handle(self, kind: int, number: int, payload: bytes) -> None:
        if kind == R_HELLO:
            nonce, boot = payload[8:16], payload[16:52].decode("ascii", "replace")
            if nonce == self._nonce:
                self.greeted = True
            elif not any(nonce) and self.greeted:
                for job in self._jobs.values():
                    job.failure = "the agent of the board restarted"
                self._jobs.clear()
                self.announcements += 1
            self.boot_id = boot
            return
        job = self._jobs.get(number)
        if job is None:
            return
        if kind in (R_OUT, R_ERR):
            (job.out if kind == R_OUT else job.err).extend(payload)
            if len(job.out) + len(job.err) > OUTPUT_MAX:
                job.failure = f"more than {OUTPUT_MAX >> 20} MB of output is waiting to be read"
                del self._jobs[number]
        elif kind == R_STARTED:
            job.pid = struct.unpack("<I", payload)[0]
        elif kind == R_CREDIT:
            job.credit += struct.unpack("<I", payload)[0]
        elif kind == R_EXIT:
            job.ending = struct.unpack("<ii", payload)
            del self._jobs[number]
        elif kind == R_FAULT:
            job.failure = "the agent does not know this frame; build the image again"

    # Frames to the board.

    def send(self, kind: int, number: int, payload: bytes, deadline: float) -> None:
        """Sends one frame, or fails by the deadline; a frame that got stuck half-way ends the link."""
        rest = memoryview(HEADER.pack(MAGIC, len(payload), kind, number) + payload)
        with self._sending:
            whole = len(rest)
            while rest:
                if reason := self._death() or self._broken:
                    raise BoardError(reason)
                try:
                    rest = rest[self.connection.send(rest):]
                except BlockingIOError:
                    left = deadline - time.monotonic()
                    if left > 0 and self._writable(min(left, 1.0)):
                        continue
                    if left > 0:
                        continue
                    if len(rest) < whole:
                        self._broken = "the board stopped reading in the middle of a frame"
                    raise BoardTimeout("the board does not read what it is sent") from None
                except OSError as error:
                    raise BoardError(self._death() or f"the connection to the agent broke: {error}") from error

    def _writable(self, seconds: float) -> bool:
        poll = select.poll()
        poll.register(self.connection, select.POLLOUT)
        return bool(poll.poll(int(seconds * 1000) + 1))

    def open(self, kind: int, payload: bytes, what: str, deadline: float) -> Job:
        """Starts a job."""
        job = Job(next(self._numbers), what)
        with self.condition:
            self._jobs[job.number] = job
        try:
            self.send(kind, job.number, payload, deadline)
        except BoardError:
            self.forget(job)
            raise
        return job

    def forget(self, job: Job) -> None:
        """Takes no more of what comes for the job."""
        with self.condition:
            self._jobs.pop(job.number, None)

    def wait(self, ready: Callable[[], bool], deadline: float, what: str) -> None:
        """Waits until `ready` holds; fails at the deadline and at the death of the board."""
        with self.condition:
            while not ready():
                if reason := self._death():
                    raise BoardError(f"{reason} during {what}")
                left = deadline - time.monotonic()
                if left <= 0:
                    raise BoardTimeout(f"the board did not answer in time: {what}")
                self.condition.wait(left)

    def finish(self, job: Job, deadline: float) -> tuple[int, int]:
        """Waits for the end of a job and returns how it ended."""
        self.wait(lambda: job.over, deadline, job.what)
        if job.ending is None:
            raise BoardError(f"{job.failure} during {job.what}")
        return job.ending

    def greet(self, deadline: float) -> None:
        """Begins a session: the agent kills what an earlier one left, and answers with the same number."""
        with self.condition:
            self.greeted = False
            self._nonce = os.urandom(8)
        self.send(HELLO, 0, self._nonce, deadline)
        self.wait(lambda: self.greeted, deadline, "waiting for the guest agent")

    def transfer(self, kind: int, payload: bytes, what: str, deadline: float, data: bytes | None = None) -> bytes:
        """Runs a job that moves a file or answers at once, and returns what it sent; raises with the board's reason."""
        job = self.open(kind, payload, what, deadline)
        try:
            if data is not None:
                for at in range(0, len(data), PIECE):
                    self.send(DATA, job.number, data[at:at + PIECE], deadline)
                    if job.over:
                        break
                else:
                    self.send(DATA, job.number, b"", deadline)
            how, value = self.finish(job, deadline)
        except BoardTimeout:
            self.cancel(job)
            raise
        finally:
            self.forget(job)
        if how == FAILED:
            raise BoardError(f"{what}: {os.strerror(value)} on the board")
        return bytes(job.out)

    def cancel(self, job: Job) -> None:
        """Ends a job that no caller waits for any more, as far as possible."""
        try:
            self.send(SIGNAL, job.number, struct.pack("<ii", signal.SIGKILL, 1), time.monotonic() + 1)
        except BoardError:
            pass
        self.forget(job)

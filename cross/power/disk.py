"""A disk with a volatile write cache over a file: what was not flushed is lost when its power is cut."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from .oplog import Kind, Operation, OperationLog
from .survivors import Fate, survivors


class PowerIsOff(Exception):
    """The disk answers nothing any more."""


class VolatileDisk:
    """Takes reads, writes and flushes; only a flush, or FUA, brings something into the file.

    `cut_after` makes the power fail at a chosen operation: the disk stops answering there, as a disk without power does,
    and `power_failed` is set. `cut` decides what of the cache had reached the medium.
    """

    def __init__(self, path: Path, log: OperationLog | None = None) -> None:
        self.path = path
        self.log = log if log is not None else OperationLog()
        self.power_failed = threading.Event()
        self._file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
        self._content = bytearray(_read_all(self._file))
        self._pending: list[Operation] = []
        self._limit: int | None = None
        self._loaded = False
        self._off = False
        self._lock = threading.Lock()

    @property
    def size(self) -> int:
        """The size in bytes; it never changes."""
        return len(self._content)

    @property
    def unflushed(self) -> int:
        """The number of writes that a cut could lose now."""
        with self._lock:
            return sum(not operation.kind.durable for operation in self._pending)

    def read(self, offset: int, length: int) -> bytes:
        """Reads what was last written there, flushed or not."""
        with self._lock:
            self._check_power()
            return bytes(self._content[offset:offset + length])

    def write(self, offset: int, data: bytes, *, durable: bool = False) -> None:
        """Writes into the cache, or with `durable` (FUA) through it."""
        self._take(Operation(Kind.WRITE_FUA if durable else Kind.WRITE, offset, len(data), data))

    def zero(self, offset: int, length: int, *, durable: bool = False) -> None:
        """Writes zeros; what is trimmed reads as zeros, too."""
        self._take(Operation(Kind.ZERO_FUA if durable else Kind.ZERO, offset, length))

    def flush(self) -> None:
        """Brings everything into the file."""
        with self._lock:
            self._spend()
            self.log.append(Operation(Kind.FLUSH))
            # In order: a plain write and a durable one of the same place are to end as the guest wrote them.
            for operation in self._pending:
                _write_all(self._file, operation.offset, operation.content)
            self._pending.clear()

    def cut_after(self, operations: int, *, loaded: bool = False) -> None:
        """Lets the power fail before the operation that comes after so many more.

        With `loaded` it waits on for a moment at which the cache holds something to lose.
        """
        with self._lock:
            self._limit = operations
            self._loaded = loaded

    def cut(self, fate: Fate, seed: str) -> int:
        """Cuts the power: the file holds what was durable and the survivors of the rest.

        Returns how many sectors' worth of bytes were lost, at least; nothing is answered any more.
        """
        with self._lock:
            self._off = True
            written = sum(operation.length for operation in self._pending)
            kept = 0
            for offset, content in survivors(self._pending, fate, seed):
                _write_all(self._file, offset, content)
                kept += len(content)
            self._pending.clear()
            return written - kept

    def close(self) -> None:
        """Closes the file; what was not flushed is lost."""
        with self._lock:
            self._off = True
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def _take(self, operation: Operation) -> None:
        with self._lock:
            self._spend()
            self.log.append(operation)
            self._content[operation.offset:operation.offset + operation.length] = operation.content
            self._pending.append(operation)

    def _spend(self) -> None:
        self._check_power()
        if self._limit is not None:
            if self._limit <= 0 and (self._pending or not self._loaded):
                self._off = True
                self.power_failed.set()
                raise PowerIsOff
            self._limit -= 1

    def _check_power(self) -> None:
        if self._off:
            raise PowerIsOff


def _read_all(file: int) -> bytes:
    size = os.fstat(file).st_size
    content = os.pread(file, size, 0)
    while len(content) < size:
        more = os.pread(file, size - len(content), len(content))
        if not more:
            break
        content += more
    return content


def _write_all(file: int, offset: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        count = os.pwrite(file, rest, offset)
        rest, offset = rest[count:], offset + count

"""The log of a disk: every operation in the order in which the disk took it, and notes of when something was said."""

from __future__ import annotations

import struct
import threading
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import BinaryIO, Iterable

_MAGIC = b"CLEATLOG1\n"
_RECORD = struct.Struct("<BxxxIQQ")


class Kind(IntEnum):
    """The effect of an operation on the disk."""

    WRITE = 1
    WRITE_FUA = 2
    ZERO = 3
    ZERO_FUA = 4
    FLUSH = 5
    NOTE = 6
    """Not an operation: a text, at the position where it stands."""

    @property
    def writes(self) -> bool:
        """True if it changes the content."""
        return self in (Kind.WRITE, Kind.WRITE_FUA, Kind.ZERO, Kind.ZERO_FUA)

    @property
    def durable(self) -> bool:
        """True if its own content survives a cut once it is answered."""
        return self in (Kind.WRITE_FUA, Kind.ZERO_FUA)


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation; `data` is empty where zeros are written, `length` counts them."""

    kind: Kind
    offset: int = 0
    length: int = 0
    data: bytes = b""

    @property
    def content(self) -> bytes:
        """The bytes that it puts at its offset."""
        return self.data if self.kind in (Kind.WRITE, Kind.WRITE_FUA) else bytes(self.length)


@dataclass(frozen=True, slots=True)
class Note:
    """A text, and how many operations the log held when it came: what it promises must hold in every later cut."""

    position: int
    text: str


class OperationLog:
    """Grows while a disk is used; safe for the disk's thread and the one that notes what the guest says."""

    def __init__(self, operations: Iterable[Operation] = (), notes: Iterable[Note] = ()) -> None:
        self.operations = list(operations)
        self.notes = list(notes)
        self._lock = threading.Lock()

    def append(self, operation: Operation) -> None:
        """Adds what the disk has just done; the disk answers only afterwards."""
        with self._lock:
            self.operations.append(operation)

    def note(self, text: str) -> Note:
        """Adds a text at the present position."""
        with self._lock:
            note = Note(len(self.operations), text)
            self.notes.append(note)
            return note

    def __len__(self) -> int:
        with self._lock:
            return len(self.operations)

    @property
    def flushes(self) -> list[int]:
        """The positions of the flushes."""
        return [index for index, operation in enumerate(self.operations) if operation.kind is Kind.FLUSH]

    def save(self, path: Path) -> None:
        """Writes the whole log to a file."""
        with open(path, "wb") as file:
            file.write(_MAGIC)
            rest = iter(sorted(self.notes, key=lambda note: note.position))
            note = next(rest, None)
            for index, operation in enumerate(self.operations):
                while note is not None and note.position <= index:
                    note = _write_note(file, note, rest)
                file.write(_RECORD.pack(operation.kind, len(operation.data), operation.offset, operation.length))
                file.write(operation.data)
            while note is not None:
                note = _write_note(file, note, rest)

    @classmethod
    def load(cls, path: Path) -> OperationLog:
        """Reads a log that `save` wrote; a file that ends too early, or is none, is an error that says where."""
        log = cls()
        with open(path, "rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise ValueError(f"{path} is not the log of a disk")
            while head := file.read(_RECORD.size):
                if len(head) != _RECORD.size:
                    raise ValueError(f"{path} ends in the middle of record {len(log.operations)}")
                kind, count, offset, length = _RECORD.unpack(head)
                data = file.read(count)
                if len(data) != count:
                    raise ValueError(f"{path} ends in the middle of record {len(log.operations)}")
                try:
                    known = Kind(kind)
                except ValueError:
                    raise ValueError(f"{path} holds an unknown operation: {kind}") from None
                if known is Kind.NOTE:
                    log.notes.append(Note(len(log.operations), data.decode("utf-8", "replace")))
                else:
                    log.operations.append(Operation(known, offset, length, data))
        return log


def _write_note(file: BinaryIO, note: Note, rest: Iterable[Note]) -> Note | None:
    text = note.text.encode("utf-8")
    file.write(_RECORD.pack(Kind.NOTE, len(text), 0, 0))
    file.write(text)
    return next(iter(rest), None)

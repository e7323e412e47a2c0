"""Cuts the power hundreds of times in the log of one run: chooses the instants, and makes the disk as each leaves it."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path
from typing import Iterable, Iterator

from .oplog import Kind, Operation, OperationLog
from .survivors import Fate, survivors

_PIECE = 1 << 16
_BEGINNING = 40
"""The operations in which a disk is mounted and a store is made."""


@dataclass(frozen=True, slots=True, order=True)
class Cut:
    """A power cut before the operation at `position` was taken; `seed` decides what of the cache is there."""

    position: int
    fate: str
    seed: str

    def __str__(self) -> str:
        return f"{self.position}:{self.fate}:{self.seed}"

    @classmethod
    def parse(cls, text: str) -> Cut:
        """Reads what `str` has written."""
        position, fate, seed = text.split(":", 2)
        return cls(int(position), Fate(fate).value, seed)


def choose(log: OperationLog, count: int, seed: int) -> list[Cut]:
    """Chooses instants: half of them around flushes, where promises begin, most of these while a write is not flushed,
    so that even a few cuts have something to lose; the others while the store is made, evenly, and anywhere.

    The end of the log is always among them, with nothing and with some of the cache kept.
    """
    chance = random.Random(f"cuts {seed}")
    end = len(log.operations)
    cuts = {Cut(end, Fate.NONE.value, f"{seed}.0"), Cut(end, Fate.SOME.value, f"{seed}.1")}
    borders = [flush + near for flush in log.flushes for near in (0, 1, 2) if flush + near <= end]
    loose = _loose(log.operations)
    loose = sorted(set(loose).intersection(borders)) or loose
    fates = [Fate.NONE, Fate.SOME, Fate.SOME, Fate.TORN, Fate.NEWEST, Fate.ALL]
    number = 0
    # Two cuts may meet at one position: the kept part of the cache distinguishes them.
    while len(cuts) < count:
        kind = number % 10
        if kind < 3 and loose:
            position = chance.choice(loose)
        elif kind < 5 and borders:
            position = chance.choice(borders)
        elif kind == 5:
            position = chance.randint(0, min(end, _BEGINNING))
        elif kind < 8:
            position = round(end * (number % max(count, 1)) / max(count, 1))
        else:
            position = chance.randint(0, end)
        cuts.add(Cut(position, chance.choice(fates).value, f"{seed}.{number + 2}"))
        number += 1
    return sorted(cuts)[:max(count, 2)]


def _loose(operations: list[Operation]) -> list[int]:
    """The positions at which something that was written is not flushed."""
    positions, is_loose = [], False
    for position, operation in enumerate(operations, 1):
        is_loose = operation.kind is not Kind.FLUSH and (
            is_loose or operation.kind.writes and not operation.kind.durable)
        if is_loose:
            positions.append(position)
    return positions


class Replayer:
    """Goes forward through a log, over the disk as it was before; the images come in the order of the cuts."""

    def __init__(self, base: bytes, operations: list[Operation]) -> None:
        self._operations = operations
        self._stable = bytearray(base)
        self._pending: list[Operation] = []
        self._position = 0

    def image(self, cut: Cut) -> bytearray:
        """The disk that a cut leaves; a position before that of the last call is an error."""
        if not self._position <= cut.position <= len(self._operations):
            raise ValueError(f"the log cannot be cut at {cut.position}: it is at {self._position}")
        for operation in self._operations[self._position:cut.position]:
            if operation.kind is Kind.FLUSH:
                self._apply((one.offset, one.content) for one in self._pending)
                self._pending.clear()
            elif operation.kind.writes:
                self._pending.append(operation)
        self._position = cut.position
        image = bytearray(self._stable)
        for offset, content in survivors(self._pending, Fate(cut.fate), cut.seed):
            image[offset:offset + len(content)] = content
        return image

    @property
    def unflushed(self) -> int:
        """The number of writes in the cache at the last cut."""
        return sum(not operation.kind.durable for operation in self._pending)

    def _apply(self, parts: Iterable[tuple[int, bytes]]) -> None:
        for offset, content in parts:
            self._stable[offset:offset + len(content)] = content


def write_sparse(image: bytes | bytearray, path: Path) -> None:
    """Writes an image without its zeros."""
    with open(path, "wb") as file:
        file.truncate(len(image))
        for at, piece in _pieces(image):
            file.seek(at)
            file.write(piece)


def _pieces(image: bytes | bytearray) -> Iterator[tuple[int, memoryview]]:
    view = memoryview(image)
    zeros = bytes(_PIECE)
    for at in range(0, len(view), _PIECE):
        piece = view[at:at + _PIECE]
        if piece != zeros[:len(piece)]:
            yield at, piece


def promised(log: OperationLog, position: int) -> tuple[int, int]:
    """The last generation, and the last second copy, that was acknowledged before a position."""
    generation = copied = 0
    for note in log.notes:
        if note.position > position:
            break
        word, _, rest = note.text.partition(" ")
        if word.isdigit():
            generation = int(word)
        elif word == "copy" and rest.isdigit():
            copied = int(rest)
    return generation, copied

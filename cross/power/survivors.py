"""The writes that a volatile cache keeps and loses in a power cut: the one model of replay and disk."""

from __future__ import annotations

import random
from enum import Enum
from typing import Iterator, Sequence

from .oplog import Operation

SECTOR = 512
"""The size that a device writes atomically."""

SUPERBLOCK = range(1024, 2048)
"""ext4 assumes that its superblock is written as a whole: its checksum spans two sectors, and a mount reads it before the
journal could repair it. A device that tears it needs e2fsck in any case, so that is not tested."""


class Fate(Enum):
    """The fate of the writes that no flush has covered."""

    NONE = "none"
    """All of them are lost."""
    ALL = "all"
    """All of them are there."""
    SOME = "some"
    """A random subset of their sectors is there: the device writes in any order."""
    TORN = "torn"
    """They were written in order, up to the middle of one."""
    NEWEST = "newest"
    """The newest were written first: the older ones are lost."""


def survivors(pending: Sequence[Operation], fate: Fate, seed: str) -> Iterator[tuple[int, bytes]]:
    """Yields what of the writes since the last flush is on the medium, to be put there in this order.

    A write with FUA was answered when it was durable, so it is there whatever happens to its neighbours. The same seed
    gives the same survivors.
    """
    chance = random.Random(f"{fate.value} {seed}")
    share = chance.choice((0.1, 0.25, 0.5, 0.75, 0.9))
    loose = [index for index, operation in enumerate(pending) if not operation.kind.durable]
    edge = chance.choice(loose) if loose else 0
    for index, operation in enumerate(pending):
        content = operation.content
        if operation.kind.durable or fate is Fate.ALL:
            yield operation.offset, content
        elif fate is Fate.SOME:
            for offset, sector in _sectors(operation.offset, content):
                if chance.random() < share:
                    yield offset, sector
        elif fate is Fate.NEWEST:
            if index >= edge:
                yield operation.offset, content
        elif fate is Fate.TORN:
            if index < edge:
                yield operation.offset, content
            elif index == edge:
                yield from _torn(operation.offset, content, chance)


def _sectors(offset: int, content: bytes) -> Iterator[tuple[int, bytes]]:
    """Splits at the device's own sectors, not at those of the write."""
    at = 0
    while at < len(content):
        place = offset + at
        end = min(len(content), (SUPERBLOCK.stop if place in SUPERBLOCK else place + SECTOR - place % SECTOR) - offset)
        yield offset + at, content[at:end]
        at = end


def _torn(offset: int, content: bytes, chance: random.Random) -> Iterator[tuple[int, bytes]]:
    """The beginning of a write, or its end."""
    sectors = list(_sectors(offset, content))
    cut = chance.randrange(len(sectors) + 1)
    yield from sectors[:cut] if chance.random() < 0.5 else sectors[cut:]

"""One run of a writer: the disk before it and the log of what happened to it, kept in a directory or only in memory."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from .oplog import OperationLog
from .variants import EVERY, Variant


@dataclass
class Recording:
    """One variant's run."""

    variant: Variant
    base: Path
    log: OperationLog

    def save(self, directory: Path) -> None:
        """Keeps it for another replay."""
        self.log.save(directory / f"{self.variant.name}.log")
        target = directory / f"{self.variant.name}.base"
        if target != self.base:
            shutil.copyfile(self.base, target)


def load_recordings(directory: Path) -> list[Recording]:
    """Reads what `save` has kept; a directory without any is an error."""
    found = []
    for variant in EVERY:
        log, base = directory / f"{variant.name}.log", directory / f"{variant.name}.base"
        if log.exists() and base.exists():
            found.append(Recording(variant, base, OperationLog.load(log)))
    if not found:
        raise ValueError(f"{directory} holds no kept run (NAME.log and NAME.base); keep one with --keep")
    return found

"""Directories for one run, which go with it; those of a run that was killed go with the next."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
import weakref
from pathlib import Path

#: Seconds before a directory without a lock counts as abandoned: a new one has no lock yet.
_NEWBORN = 60


class Scratch:
    """A directory of this process's own, which is removed at the close, or at the end of the process.

    While it exists this process holds a lock on it, so that an abandoned one can be distinguished from one in use.
    """

    def __init__(self, prefix: str, place: str | Path | None = None) -> None:
        """Makes `PREFIXrandom` below a directory (by default the machine's own), and removes abandoned ones there."""
        place = Path(place or tempfile.gettempdir())
        _sweep(place, prefix)
        self.path = Path(os.path.realpath(tempfile.mkdtemp(prefix=prefix, dir=place)))
        lock = os.open(self.path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        self._tidy = weakref.finalize(self, _remove, self.path, lock)

    def close(self) -> None:
        """Removes the directory; may be called twice."""
        self._tidy()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()


def _remove(path: Path, lock: int) -> None:
    shutil.rmtree(path, ignore_errors=True)
    os.close(lock)


def _sweep(place: Path, prefix: str) -> None:
    """Removes the directories of runs that were killed: they may be large, or lie in memory."""
    for left in place.glob(f"{prefix}*"):
        try:
            if left.stat().st_uid != os.geteuid() or time.time() - left.stat().st_mtime < _NEWBORN:
                continue
            lock = os.open(left, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(lock)
        else:
            _remove(left, lock)

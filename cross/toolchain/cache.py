"""The cache outside of the repository: SDKs, sysroots and downloads, keyed by hashes of their inputs."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Callable, Iterator

from .failure import Failure


def cache_directory() -> Path:
    """Returns the cache's directory, from CLEAT_CACHE or the user's own cache directory, and makes it."""
    given = os.environ.get("CLEAT_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    directory = Path(given) if given else Path(base) / "cleat"
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(
            f"the cache {directory} cannot be made: {error.strerror}",
            then="set CLEAT_CACHE to a directory that can be written to") from error
    return directory.absolute()


@contextlib.contextmanager
def locked(path: Path) -> Iterator[None]:
    """Holds an exclusive lock on a file next to the new entry; a second run waits for the first."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def made_once(target: Path, make: Callable[[Path], None]) -> Path:
    """Returns a directory of the cache; if it is missing, makes it under a temporary name and renames it, so that an
    entry is always complete."""
    if target.is_dir():
        return target
    with locked(target.parent / f".{target.name}.lock"):
        if target.is_dir():
            return target
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
        try:
            make(work)
            work.chmod(0o755)
            work.rename(target)
        except OSError as error:
            raise Failure(
                f"{error.filename or target}: {error.strerror}",
                then=f"free space for {target.parent}, or set CLEAT_CACHE to another directory") from error
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return target


def file_digest(path: Path) -> str:
    """Returns a file's SHA-256."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def text_digest(*parts: str) -> str:
    """Returns a short key for everything that a cached thing depends on."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]

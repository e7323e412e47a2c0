"""Builds the tarballs."""

from __future__ import annotations

import lzma
import os
import tempfile
from pathlib import Path

from .contents import Entry, tar
from .inputs import Release


def build_tarball(entries: list[Entry], kind: str, release: Release, output: Path) -> Path:
    """Writes a tarball of a kind, such as linux-aarch64, into a directory and returns its path."""
    target = output / f"cleat-{release.version}-{kind}.tar.xz"
    # BusyBox's xz reads CRC32, not CRC64. Level 6 takes 9 MiB on the board.
    write_whole(target, lzma.compress(tar(entries, release.time), check=lzma.CHECK_CRC32, preset=6))
    return target


def write_whole(target: Path, data: bytes) -> None:
    """Writes a file that appears when it is complete."""
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "wb") as made:
            made.write(data)
        os.chmod(name, 0o644)
        os.replace(name, target)
    except BaseException:
        os.unlink(name)
        raise

"""A cpio archive in the `newc` format, as the kernel unpacks it: owners and device nodes without root or fakeroot."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import BinaryIO


class Archive:
    """Writes one archive; every file belongs to root and has the same time, so that equal content is equal bytes."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._inode = 0
        self._directories: set[str] = set()

    def __enter__(self) -> "Archive":
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self._entry("TRAILER!!!", 0, b"")

    def directory(self, path: str, mode: int = 0o755) -> None:
        """Adds a directory and, before it, those above it."""
        path = path.strip("/")
        parent = path.rpartition("/")[0]
        if parent:
            self.directory(parent)
        if path not in self._directories:
            self._directories.add(path)
            self._entry(path, stat.S_IFDIR | mode, b"")

    def file(self, path: str, content: bytes | Path, mode: int = 0o644) -> None:
        """Adds a regular file."""
        path = path.strip("/")
        self.directory(path.rpartition("/")[0])
        self._entry(path, stat.S_IFREG | mode, content if isinstance(content, bytes) else content.read_bytes())

    def link(self, path: str, target: str) -> None:
        """Adds a symbolic link."""
        path = path.strip("/")
        self.directory(path.rpartition("/")[0])
        self._entry(path, stat.S_IFLNK | 0o777, target.encode())

    def device(self, path: str, major: int, minor: int, mode: int = 0o600) -> None:
        """Adds a character device."""
        path = path.strip("/")
        self.directory(path.rpartition("/")[0])
        self._entry(path, stat.S_IFCHR | mode, b"", major, minor)

    def _entry(self, name: str, mode: int, content: bytes, major: int = 0, minor: int = 0) -> None:
        if not name and stat.S_ISDIR(mode):
            return
        self._inode += 1
        fields = (self._inode, mode, 0, 0, 2 if stat.S_ISDIR(mode) else 1, 0, len(content), 0, 0, major, minor,
                  len(name) + 1, 0)
        head = b"070701" + "".join(f"{field:08X}" for field in fields).encode() + name.encode() + b"\0"
        self._file.write(head + bytes(-len(head) % 4) + content + bytes(-len(content) % 4))

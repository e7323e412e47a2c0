"""Reads what must be known of an ELF file: whether it is static, for which machine, what its sections are."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

from .failure import Failure

MACHINES = {62: "x86_64", 183: "aarch64"}
INTERPRETER, DYNAMIC, NEEDED = 3, 2, 1
RELRO, WRITABLE = 0x6474E552, 1


@dataclass
class Binary:
    """A 64-bit little-endian ELF file."""

    path: Path
    machine: str = ""
    interpreter: str = ""
    needed: list[str] = field(default_factory=list)
    sections: dict[str, int] = field(default_factory=dict)
    size: int = 0
    holds_icu: bool = False
    holds_crash_points: bool = False
    writable_constants: int = 0
    """The bytes of `.rodata` that a program could overwrite: it is in a segment for writing, and not in RELRO."""

    @property
    def is_static(self) -> bool:
        """True if it starts without a loader and without libraries."""
        return not self.interpreter and not self.needed


def read_binary(path: Path) -> Binary:
    """Reads a file, or says why it is no binary."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise Failure(f"{path}: {error.strerror}") from error
    if data[:6] != b"\x7fELF\x02\x01":
        raise Failure(f"{path} is not a 64-bit ELF file")
    binary = Binary(path, size=len(data), holds_icu=b"icudt" in data,
                    holds_crash_points=b"CLEAT_CRASH_POINT" in data)
    try:
        _parse(data, binary)
    except (struct.error, ValueError, IndexError) as error:
        raise Failure(f"{path} is not a whole ELF file: {error}") from error
    return binary


def _parse(data: bytes, binary: Binary) -> None:
    machine = struct.unpack_from("<H", data, 18)[0]
    binary.machine = MACHINES.get(machine, f"machine {machine}")
    headers, sections = struct.unpack_from("<QQ", data, 32)
    size, count, section_size, section_count, names = struct.unpack_from("<HHHHH", data, 54)
    loads: list[tuple[int, int, int]] = []
    dynamic = (0, 0)
    protected = (0, 0)
    for index in range(count):
        kind, _, offset, address, _, length = struct.unpack_from("<IIQQQQ", data, headers + index * size)
        if kind == 1:
            loads.append((address, offset, length))
        elif kind == RELRO:
            protected = (address, address + length)
        elif kind == DYNAMIC:
            dynamic = (offset, length)
        elif kind == INTERPRETER:
            binary.interpreter = data[offset : offset + length].split(b"\0")[0].decode("utf-8", "replace")
    binary.needed = _needed(data, dynamic, loads)
    if not section_count:
        return
    table = [struct.unpack_from("<IIQQQQ", data, sections + index * section_size) for index in range(section_count)]
    text = table[names][4]
    for name, kind, flags, address, _, length in table:
        label = data[text + name : data.index(b"\0", text + name)].decode("utf-8", "replace")
        if label:
            binary.sections[label] = 0 if kind == 8 else length
        if label.startswith(".rodata") and flags & WRITABLE and not protected[0] <= address < protected[1]:
            binary.writable_constants += length


def _needed(data: bytes, dynamic: tuple[int, int], loads: list[tuple[int, int, int]]) -> list[str]:
    entries = [struct.unpack_from("<QQ", data, dynamic[0] + at) for at in range(0, dynamic[1], 16)]
    texts = next((value for tag, value in entries if tag == 5), None)
    if texts is None:
        return []
    start = next((texts - address + offset for address, offset, length in loads if address <= texts < address + length), texts)
    return [
        data[start + value : data.index(b"\0", start + value)].decode("utf-8", "replace")
        for tag, value in entries if tag == NEEDED]

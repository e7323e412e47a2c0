"""Small ELF files, written by hand: what a linker would make of nothing."""

from __future__ import annotations

import struct
from pathlib import Path

MACHINES = {"x86_64": 62, "aarch64": 183}


def write_elf(path: Path, machine: str = "aarch64", *, interpreter: str = "", needed: str = "", filling: bytes = b"") -> Path:
    """Writes an executable with the program headers that are asked for, and some bytes at its end."""
    headers: list[tuple[int, bytes]] = []
    if interpreter:
        headers.append((3, interpreter.encode() + b"\0"))
    if needed:
        texts = b"\0" + needed.encode() + b"\0"
        headers.append((2, struct.pack("<6Q", 1, 1, 5, 0, 0, 0) + texts))
    start = 64 + 56 * (len(headers) + 1)
    body = b""
    table = b""
    for kind, content in headers:
        offset = start + len(body)
        if kind == 2:  # the string table lies behind the entries; the address of a byte is its offset in the file
            content = struct.pack("<6Q", 1, 1, 5, offset + 48, 0, 0) + content[48:]
            table += struct.pack("<IIQQQQQQ", kind, 6, offset, offset, offset, 48, 48, 8)
        else:
            table += struct.pack("<IIQQQQQQ", kind, 4, offset, offset, offset, len(content), len(content), 1)
        body += content
    whole = start + len(body) + len(filling)
    table += struct.pack("<IIQQQQQQ", 1, 5, 0, 0, 0, whole, whole, 4096)
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 2, MACHINES[machine], 1, 0, 64, 0, 0, 64, 56, len(headers) + 1, 64, 0, 0)
    path.write_bytes(head + table + body + filling)
    return path

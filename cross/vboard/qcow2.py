"""An empty qcow2 overlay, so that `qemu-img` is not needed: a board writes to its own overlay, never to the image."""

from __future__ import annotations

import os
import struct
from pathlib import Path

CLUSTER_BITS = 16
CLUSTER = 1 << CLUSTER_BITS


def create_overlay(path: Path, backing: str, backing_format: str, size: int) -> None:
    """Writes the overlay `path` of `size` bytes over `backing`; a relative name is resolved from the overlay's directory.

    The layout is that of QEMU's `docs/interop/qcow2.txt`, version 3: the header, the reference count table, one block
    of reference counts, and an empty L1 table.
    """
    entries_of_l2 = CLUSTER // 8
    l1_entries = -(-size // (CLUSTER * entries_of_l2))
    l1_clusters = max(1, -(-l1_entries * 8 // CLUSTER))
    name = os.fsencode(backing)
    extension = struct.pack(">II", 0xE2792ACA, len(backing_format)) + backing_format.encode().ljust(8, b"\0")
    extension += struct.pack(">II", 0, 0)
    name_at = 104 + len(extension)
    header = struct.pack(
        ">IIQIIQIIQQIIQQQQII",
        0x514649FB, 3, name_at, len(name), CLUSTER_BITS, size, 0, l1_entries, 3 * CLUSTER, CLUSTER, 1, 0, 0,
        0, 0, 0, 4, 104,
    )
    used = 3 + l1_clusters
    with path.open("xb") as file:
        file.write((header + extension + name).ljust(CLUSTER, b"\0"))
        file.write(struct.pack(">Q", 2 * CLUSTER).ljust(CLUSTER, b"\0"))
        file.write(struct.pack(f">{used}H", *([1] * used)).ljust(CLUSTER, b"\0"))
        file.truncate(used * CLUSTER)

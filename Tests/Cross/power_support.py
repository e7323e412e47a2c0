"""The common parts of the tests of the power-cut tools."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "cross"))

from power.disk import VolatileDisk

SIZE = 1 << 16
LIMIT = 10.0


class WithDisk(unittest.TestCase):
    """Has a disk of 64 KiB in a directory of its own."""

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.directory = Path(place.name)
        self.image = self.directory / "disk.img"
        self.image.write_bytes(bytes(SIZE))
        self.disk = VolatileDisk(self.image)
        self.addCleanup(self.disk.close)

    def medium(self) -> bytes:
        """The contents of the medium, without the cache."""
        return self.image.read_bytes()

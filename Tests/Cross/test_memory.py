"""Tests of the copies and comparisons of bytes in static programs."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parents[1] / "cross"))

from toolchain.compiler import find_compiler  # noqa: E402


class MemoryTests(unittest.TestCase):
    """Tests of `link/memory.c` on this machine."""

    def test_each_length_and_distance_is_copied_and_compared_exactly(self) -> None:
        directory = Path(tempfile.mkdtemp(prefix="cleat-memory-"))
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        # Also without optimisation: then the order of reads and writes is that of the text.
        for level in ("-O0", "-O2"):
            program = directory / f"check{level}"
            subprocess.run(
                [find_compiler().tool("clang"), level, "-Wall", "-Werror", "-fno-builtin", str(HERE / "memory_check.c"),
                 "-o", str(program)], check=True, timeout=120)
            answer = subprocess.run([str(program)], capture_output=True, text=True, timeout=240, check=False)
            self.assertEqual((answer.returncode, answer.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()

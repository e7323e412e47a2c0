"""Tests of the mappings that static programs keep for the allocator."""

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


class MapsTests(unittest.TestCase):
    """Tests of `link/maps.c` on this machine."""

    def test_they_are_given_out_again_as_zeros_and_to_one_thread(self) -> None:
        directory = Path(tempfile.mkdtemp(prefix="cleat-maps-"))
        self.addCleanup(shutil.rmtree, directory, ignore_errors=True)
        program = directory / "check"
        # The C library's own mmap and munmap stand for the kernel.
        subprocess.run(
            [find_compiler().tool("clang"), "-O1", "-Wall", "-Werror", str(HERE / "maps_check.c"), "-pthread", "-o",
             str(program)], check=True, timeout=120)
        answer = subprocess.run([str(program)], capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((answer.returncode, answer.stdout), (0, ""))


if __name__ == "__main__":
    unittest.main()

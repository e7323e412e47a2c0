"""Comparing two builds, and reporting a difference. The builds themselves are a row of `make matrix`."""

from __future__ import annotations

import contextlib
import io
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "cross"))

from toolchain import reproduce, sysroot  # noqa: E402
from toolchain.budget import PRODUCTS  # noqa: E402
from toolchain.compiler import find_compiler  # noqa: E402
from toolchain.failure import Failure  # noqa: E402
from toolchain.sdk import find_sdk  # noqa: E402


class CompareTests(unittest.TestCase):
    """The comparison, with builds that take no time."""

    def compare(self, content: str) -> Path:
        """Compares a build with one elsewhere, whose products are this text, in which TREE stands for the directory of
        the build; returns the other directory."""
        trees: list[Path] = [REPOSITORY]

        def place(build: object, built: object, output: Path) -> None:
            output.mkdir(parents=True)
            for product in PRODUCTS:
                (output / product).write_text("always the same")
                (output / f"{product}.debug").write_text(content.replace("TREE", str(trees[-1])))

        def build(arch: str, tree: Path, *_: object) -> mock.Mock:
            self.assertTrue((tree / "Package.swift").is_file())
            trees.append(tree)
            return mock.Mock()

        with (tempfile.TemporaryDirectory() as directory, mock.patch.object(reproduce, "Build", build),
              mock.patch.object(reproduce, "place", place), contextlib.redirect_stdout(io.StringIO()),
              contextlib.redirect_stderr(io.StringIO())):
            place(None, None, Path(directory, "out"))
            reproduce.compare(Path(directory, "out"), "aarch64", mock.Mock(), mock.Mock(), mock.Mock())
        return trees[-1]

    def test_the_same_twice(self) -> None:
        other = self.compare("nothing of this machine")
        self.assertNotEqual(len(str(other)), len(str(REPOSITORY)), "a length that is written down would not be noticed")

    def test_a_difference_is_named(self) -> None:
        with self.assertRaisesRegex(Failure, "two builds differ in cleatd.debug, cleat.debug"):
            self.compare("built in TREE")


class BuildTests(unittest.TestCase):
    """Real builds."""

    def test_the_c_library(self) -> None:
        try:
            compiler = find_compiler()
            sdk = find_sdk("aarch64", compiler)
            kept = sysroot.make_sysroot("aarch64", compiler, sdk)
        except Failure as failure:
            if failure.status != 69:
                raise
            self.skipTest(str(failure))
        with tempfile.TemporaryDirectory() as place, mock.patch.dict(os.environ, {"CLEAT_CACHE": place}):
            sources = Path(place) / "sources"
            sources.symlink_to(kept.path.parents[1] / "sources")
            again = sysroot.make_sysroot("aarch64", compiler, sdk)
            for file in ("usr/lib/libsqlite3.a", "usr/lib/cleat/libcleatessentials.a", "usr/lib/cleat/unused.o"):
                self.assertEqual((kept.path / file).read_bytes(), (again.path / file).read_bytes(), file)


if __name__ == "__main__":
    unittest.main()

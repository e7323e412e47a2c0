"""Unit tests of the check that integers do not assume 64 bits."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / ".ci")]

from steps import widths  # noqa: E402


class WidthTests(unittest.TestCase):
    def found(self, text: str, **allowed: str) -> list[str]:
        """Returns the texts of the places in a file, or the whole messages if places are allowed."""
        with tempfile.TemporaryDirectory() as directory:
            Path(directory, "a.swift").write_text(text, encoding="utf-8")
            lines = widths.problems(Path(directory), {("a.swift", part): why for why, part in allowed.items()})
        return lines if allowed else [line.split("`")[1] for line in lines]

    def test_literals_beyond_32_bits(self) -> None:
        self.assertEqual(self.found("let a = 2_147_483_648\nlet b = 0x8000_0000\nlet c = -5_000_000_000\n"),
                         ["2_147_483_648", "0x8000_0000", "5_000_000_000"])
        self.assertEqual(self.found("let a = 2_147_483_647, b = 0x7fff_ffff, c = 3_000_000_000.5, d = x.2147483648\n"), [])

    def test_shifts_and_products_beyond_32_bits(self) -> None:
        self.assertEqual(self.found("let a = 1 << 40\nf(0...1 << 50)\nlet b = 1 << 31\n"), ["1 << 40", "1 << 50", "1 << 31"])
        self.assertEqual(self.found("let a = 4 * 1024 * 1024 * 1024\n"), ["4 * 1024 * 1024 * 1024"])
        self.assertEqual(self.found("let a = 1 << 30, b = 64 << 20, c = x << 40, d = 2 * 1024 * 1024\n"), [])

    def test_a_type_on_the_line_says_what_a_literal_is(self) -> None:
        self.assertEqual(self.found("let a: Int64 = 1 << 40\nlet b = UInt64(1) << 63\nvar c: UInt32 = 0xffff_ffff\n"), [])
        self.assertEqual(self.found("let a: Int = 1 << 40\nlet b: MyInt64 = 1 << 40\n"), ["1 << 40", "1 << 40"])

    def test_conversions_of_what_may_be_larger(self) -> None:
        self.assertEqual(self.found("a(Int(status.st_size), Int(owner.uid), Int(size))\n"),
                         ["Int(status.st_size)", "Int(owner.uid)", "Int(size)"])
        self.assertEqual(self.found("a(Int(clamping: size), Int(exactly: uid), Int(text), Int64(size), UInt(size), x.Int(size))\n"), [])

    def test_the_size_of_an_int(self) -> None:
        self.assertEqual(self.found("let a = MemoryLayout<Int>.size, b = Int.bitWidth\n"), ["MemoryLayout<Int>", "Int.bitWidth"])

    def test_comments_and_texts_are_not_checked(self) -> None:
        self.assertEqual(self.found('// 1 << 40\nlet a = "1 << 40" // 1 << 40\nlet b = """\n1 << 40\n"""\n1 << 41\n'), ["1 << 41"])

    def test_listed_places_may_stay_and_must_exist(self) -> None:
        self.assertEqual(self.found("let a = 1 << 40\n", reason="let a"), [])
        self.assertEqual(self.found("let a = 1 << 40\n", reason="*"), [])
        messages = self.found("let a = 1 << 40\n", reason="let b")
        self.assertEqual(len(messages), 2)
        self.assertIn("a.swift:1: `1 << 40` is another number in 32 bits", messages[0])
        self.assertIn("lists “let b”, which is not there", messages[1])

    def test_a_list_without_a_reason_is_no_list(self) -> None:
        text = "# a comment\na.swift\tlet a\tit is an Int64\nb.swift\tlet b\t\nc.swift\tlet c\n"
        self.assertEqual(widths.allowances(text), {("a.swift", "let a"): "it is an Int64"})

    def test_the_sources_have_no_other_places(self) -> None:
        self.assertGreater(len(widths.allowances(widths.ALLOWED.read_text(encoding="utf-8"))), 20)
        self.assertEqual(widths.main(), 0)


if __name__ == "__main__":
    unittest.main()

"""The walks of docs/how-it-works.md name functions that exist, and a name that does not exist is found."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "cross"), str(REPOSITORY / ".ci")]

from steps import walks  # noqa: E402


class WalkTests(unittest.TestCase):
    def setUp(self) -> None:
        self.sources = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.sources / "Store/Internals").mkdir(parents=True)
        (self.sources / "Store/File.swift").write_text(
            "struct File {\n    // func gone()\n    init(_ path: String) {}\n    private func read() {}\n}\n")
        (self.sources / "Store/Internals/calls.c").write_text("static int use(void) {\n    return other_call(1);\n}\n")

    def problems(self, *steps: str) -> list[str]:
        """Returns the problems of steps."""
        return walks.problems("\n".join(f"1. `{step}`: does something." for step in steps), self.sources)

    def test_what_is_declared_is_found(self) -> None:
        self.assertEqual(
            self.problems("Store/File.swift:File", "Store/File.swift:init", "Store/File.swift:read", "Store/calls.c:use"), [])

    def test_what_is_not_declared_is_reported(self) -> None:
        wrong = ("Store/File.swift:rea", "Store/File.swift:gone", "Store/Other.swift:read", "Shop/File.swift:read",
                 "Store/calls.c:other_call")
        self.assertEqual([line.split(": ")[0].strip("`") for line in self.problems(*wrong)], list(wrong))

    def test_the_document_names_what_exists(self) -> None:
        document = walks.DOCUMENT.read_text(encoding="utf-8")
        self.assertGreater(len(walks.STEP.findall(document)), 20)
        self.assertEqual(walks.problems(document, REPOSITORY / "Sources"), [])

    def test_public_names_are_those_of_the_lists(self) -> None:
        (self.sources / "Lamp.txt").write_text("Lamp.on(at:): func on(at: Int)\nLamp: struct Lamp\n")
        rows = "| it lights | `Lamp`, `Lamp.on(at:)` | [Lamp](Lamp.swift) |\n| it blinks | `Lamp.blink()` | |\n"
        self.assertEqual(walks.missing_api(rows, self.sources), ["`Lamp.blink()`: no list in docs/api has it"])
        self.assertEqual(walks.missing_api("nothing", self.sources), ["it names no API"])

    def test_the_table_of_patterns_names_what_exists(self) -> None:
        self.assertEqual(walks.missing_api(walks.PATTERNS.read_text(encoding="utf-8"), REPOSITORY / "docs/api"), [])


if __name__ == "__main__":
    unittest.main()

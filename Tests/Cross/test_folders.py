"""Unit tests of the check that the folders of a module depend one way."""

from __future__ import annotations

import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / ".ci")]

from steps import folders  # noqa: E402


class FolderTests(unittest.TestCase):
    """The folders of modules that the tests write."""

    def _problems(self, files: dict[str, str]) -> list[str]:
        with tempfile.TemporaryDirectory() as directory:
            for name, text in files.items():
                path = Path(directory, "Module", name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return folders.problems(Path(directory))

    def test_the_folders_of_the_modules_depend_one_way(self) -> None:
        self.assertEqual(folders.problems(folders.SOURCES), [])

    def test_one_way_is_no_circle(self) -> None:
        self.assertEqual(self._problems({"A/One.swift": "struct One {}", "B/Two.swift": "struct Two { let one: One }"}), [])

    def test_a_circle_over_three_folders_is_reported(self) -> None:
        found = self._problems({
            "A/One.swift": "package struct One { let three: Three }",
            "B/Two.swift": "final class Two { let one: One }",
            "C/Three.swift": "@frozen\npublic enum Three { case two(Two) }",
        })
        self.assertEqual(found, [
            "Module: A depends on C: Three in One.swift",
            "Module: B depends on A: One in Two.swift",
            "Module: C depends on B: Two in Three.swift",
        ])

    def test_comments_and_texts_are_no_uses(self) -> None:
        one = '/// ``Two``\nstruct One { let text = "Two" } // Two'
        two = "struct Two { let one: One }"
        self.assertEqual(self._problems({"A/One.swift": one, "B/Two.swift": two}), [])
        used = 'struct One { let text = "\\(Two.count)" }'
        self.assertEqual(len(self._problems({"A/One.swift": used, "B/Two.swift": two})), 2)

    def test_members_of_other_types_are_no_uses(self) -> None:
        one = "struct One { let other: Other.Two }"
        self.assertEqual(self._problems({"A/One.swift": one, "B/Two.swift": "struct Two { let one: One }"}), [])


if __name__ == "__main__":
    unittest.main()

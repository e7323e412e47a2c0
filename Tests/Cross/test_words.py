"""Tests of the check of words: doc comments, refused words, and the text that is not checked."""

from __future__ import annotations

import sys
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "cross"), str(REPOSITORY / ".ci")]

from steps import words  # noqa: E402

RULES = words.refused("# a comment\nanew\tagain\nlets? go\treleases\n")


class WordTests(unittest.TestCase):
    def lines(self, name: str, text: str) -> list[int]:
        """Returns the numbers of the lines that break a rule."""
        return [int(problem.split(":")[1]) for problem in words.problems(name, text, RULES)]

    def test_doc_comments_open_with_a_verb_or_a_noun_phrase(self) -> None:
        self.assertEqual(self.lines("a.swift", "/// What it is.\nlet a = 1\n/// The value.\n/// What follows.\nlet b = 2\n"), [1])
        self.assertEqual(self.lines("a.c", "// What is not a doc comment.\n    /// Whether it is one.\nint a;\n"), [2])
        self.assertEqual(self.lines("a.py", '"""How it works."""\n\nX = """What"""\n#: Where it is.\n#: What follows.\nY = 1\n'), [1, 4])
        self.assertEqual(self.lines("a.py", 'def a():\n    """Returns it.\n\n    What follows.\n    """\n'), [])
        self.assertEqual(self.lines("tool", '#!/usr/bin/env python3\n"""Who calls it."""\n'), [2])

    def test_refused_words_in_comments_and_documents(self) -> None:
        self.assertEqual(self.lines("a.swift", "// Anew.\nlet anew = 1 // fine\nlet text = \"anew\"\n"), [1])
        self.assertEqual(self.lines("a.py", 'def a(anew):\n    """Starts\n    anew."""\n    say("anew")  # lets go\n'), [3, 4])
        self.assertEqual(self.lines("tool", "#!/bin/sh\n# It lets go.\necho anew\n"), [2])
        self.assertEqual(self.lines("a.service", "# Begins anew.\nDescription=anew\n"), [1])
        self.assertEqual(self.lines("a.md", "It starts anew.\n```\nanew\n```\nThe file `anew`, “anew”.\n"), [1])

    def test_other_files_are_not_checked(self) -> None:
        self.assertEqual(self.lines("a.txt", "anew\n"), [])
        self.assertFalse([name for name in words.files() if "Golden/" in name or "Generated/" in name])

    def test_the_repository_has_none(self) -> None:
        self.assertGreater(len(words.files()), 500)
        self.assertEqual(words.main(), 0)


if __name__ == "__main__":
    unittest.main()

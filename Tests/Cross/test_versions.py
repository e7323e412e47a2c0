"""Tests of the table of versions: the essential part of an output, the explanation of a refusal, the verbs of a help text."""

from __future__ import annotations

import re
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Matrix"))

import version_essence as essence  # noqa: E402
from version_cases import Case  # noqa: E402
from version_releases import SUBCOMMAND  # noqa: E402

EVERYTHING = re.compile("")
HELP = """SUBCOMMANDS:
  get                     Print the value of a setting.
  show                    Show one generation: its author, time, reason and
                          changes.

  See 'cleat help <subcommand>' for detailed help.
"""


class EssenceTests(unittest.TestCase):
    def test_times_ids_and_places_are_omitted(self) -> None:
        text = "#1  2026-01-02T03:04:05.000Z  /tmp/b/state  0123456789abcdef  4.5 s"
        self.assertEqual(essence.lines(text, EVERYTHING, "/tmp/b"), ["#1 TIME $D/state ID DURATION"])
        self.assertEqual(essence.lines("a 1\nb 2\n", re.compile("b"), "/tmp/b"), ["b 2"])

    def test_members_of_one_run_and_other_objects_are_omitted(self) -> None:
        value = {"time": "x", "list": [{"path": "a", "n": 1}, {"path": "b"}], "names": ["a"]}
        found = essence.essential(value, re.compile('"a"'), frozenset(("time", "n")), "/tmp/b")
        self.assertEqual(found, {"list": [{"path": "a"}], "names": ["a"]})

    def test_each_kind_of_difference_is_found(self) -> None:
        self.assertEqual(essence.difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}), "")
        for found in ({"a": [1, {"b": 3}]}, {"a": [1]}, {"a": [1, {"b": 2}, 3]}, {}, {"a": [1, {"b": 2}], "c": 0}, [1]):
            self.assertTrue(essence.difference({"a": [1, {"b": 2}]}, found), found)

    def test_documents_follow_one_another(self) -> None:
        self.assertEqual(list(essence.documents('{"a": 1}\n{"b": 2}\n')), [{"a": 1}, {"b": 2}])
        with self.assertRaises(ValueError):
            list(essence.documents("no JSON"))


class ExplanationTests(unittest.TestCase):
    def test_the_older_program_and_the_next_step_are_required(self) -> None:
        explained = "cleat: the service is older than this program\n  install cleatd 0.2.0 or newer"
        self.assertIsNotNone(essence.explanation(explained))
        self.assertIsNotNone(essence.explanation('{"error": "org.varlink.service.MethodNotFound", "message": "the service is '
                                                 'older", "remedy": "update it"}'))
        for text in ("the service is older", "install cleatd", "org.varlink.service.MethodNotFound: older; install it", ""):
            self.assertIsNone(essence.explanation(text), text)


class VerbTests(unittest.TestCase):
    def test_verbs_are_those_of_the_help(self) -> None:
        self.assertEqual(SUBCOMMAND.findall(HELP), ["get", "show"])

    def test_a_case_is_of_the_longest_verb(self) -> None:
        verbs = ["file", "file get", "get"]
        found = [Case(name, print).verb(verbs) for name in ("get --live", "get", "file get", "file getx", "getx")]
        self.assertEqual(found, ["get", "get", "file get", "file", None])


if __name__ == "__main__":
    unittest.main()

"""The marks of the table of `Benchmarks/run`, and its previous values."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "cross"), str(REPOSITORY / "Benchmarks")]

from measure.table import BUDGETS, OWN, Row, Rule, Table, markdown, merged, with_previous  # noqa: E402
from toolchain.failure import Failure  # noqa: E402

GET, FLUSHES = "get, whole process, 1,000 settings", "set: flushes, 1,000 settings"
FACTS = {"commit": "b", "machine": "m", "programs": "static"}


def row(value: float, hold: str | None, aim: str | None, **others: list[float]) -> Row:
    """Returns a row with one sample."""
    rules = (Rule(text) if text else None for text in (hold, aim))
    return Row("row", "ms", *rules, {OWN: [value], **others})


class MarkTests(unittest.TestCase):
    """Values next to their limits."""

    def test_a_number(self) -> None:
        self.assertEqual([row(value, "≤ 5", "≤ 1").mark() for value in (1, 5, 6)], ["aim", "hold", "missed"])

    def test_at_least(self) -> None:
        self.assertEqual([row(value, "≥ 1,500", "≥ 4,000").mark() for value in (4000, 1500, 1499)],
                         ["aim", "hold", "missed"])

    def test_a_multiple_of_the_floor(self) -> None:
        self.assertEqual(row(1.5, "≤ 1.6 × floor", "≤ 1.2 × floor", floor=[1]).mark(), "hold")

    def test_a_time_over_the_floor(self) -> None:
        self.assertEqual(row(0.6, "≤ 0.57 + floor", "≤ 0.12 + floor", floor=[0.07]).mark(), "hold")

    def test_the_best_durable_peer(self) -> None:
        peers = {"sqlite3": [4.0], "dconf": [3.0], "git config": [1.0]}
        self.assertEqual(row(2, "≤ 1 × best durable peer", "≤ 0.6 × best durable peer", **peers).mark(), "hold")
        self.assertEqual(row(2, "≤ 1 × best peer", None, **peers).mark(), "missed")

    def test_a_floor_that_was_not_measured(self) -> None:
        self.assertEqual(row(2, "≤ 1.6 × floor", None).mark(), "")

    def test_a_time_is_the_first_decile_of_its_samples(self) -> None:
        busy = Row("row", "ms", None, None, {OWN: [1.0] * 4 + [9.0] * 16})
        self.assertEqual(busy.figures()[OWN], 1)
        busy.unit = "MB"
        self.assertEqual(busy.figures()[OWN], 9)

    def test_an_aim_alone_is_not_missed(self) -> None:
        self.assertEqual([row(value, None, "≤ 2").mark() for value in (2, 3)], ["aim", ""])

    def test_every_limit_of_the_budgets_can_be_read(self) -> None:
        for one in Table().rows.values():
            for rule in filter(None, (one.hold, one.aim)):
                rule.limit({OWN: 1})
        with self.assertRaises(Failure):
            Rule("about 5").limit({})


class DocumentTests(unittest.TestCase):
    """Tables of several runs."""

    def document(self, commit: str, **values: float) -> dict[str, Any]:
        """Returns a table of a commit with gets and flushes."""
        table = Table()
        for name, value in values.items():
            table.add({"get": GET, "flushes": FLUSHES}[name], OWN, value)
        return table.document(**{**FACTS, "commit": commit})

    def test_the_previous_values_are_those_of_another_commit(self) -> None:
        first = with_previous(self.document("a", get=1), None)
        second = with_previous(self.document("b", get=2), first)
        again = with_previous(self.document("b", get=3), second)
        self.assertEqual(again["previous"], {"commit": "a", "values": {GET: 1}})
        self.assertIn("| 3 ms | 1 ms |", markdown(again))

    def test_some_groups_replace_their_rows(self) -> None:
        first = self.document("b", get=1, flushes=1.02)
        first["skipped"] = {"group burst": "failed", "uci": "not here"}
        found = merged(self.document("b", get=2), first, ["get", "burst"])
        self.assertEqual([one["value"] for one in found["rows"]], [2, 1.02])
        self.assertEqual(found["skipped"], {"uci": "not here"})

    def test_other_programs_replace_all_rows(self) -> None:
        found = merged(self.document("b", get=2), self.document("a", flushes=1.02), ["get"])
        self.assertEqual([one["row"] for one in found["rows"]], [GET])

    def test_a_row_without_a_budget_is_an_error(self) -> None:
        with self.assertRaises(Failure):
            Table().add("another row", OWN, 1)

    def test_names_of_budgets_differ(self) -> None:
        names = [one["row"] for one in json.loads(BUDGETS.read_text(encoding="utf-8"))]
        self.assertEqual(len(names), len(set(names)))


if __name__ == "__main__":
    unittest.main()

"""The table of measured rows: values, spreads, budgets and marks, as JSON and as Markdown."""

from __future__ import annotations

import json
import re
import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from toolchain.failure import Failure

from .workspace import REPOSITORY

BUDGETS = REPOSITORY / "Benchmarks/budgets.json"
#: The series of the measured programs, of older ones in the same run, and of the least that any program needs.
OWN, FORMER, FLOOR = "cleat", "former", "floor"
#: Peers whose changes are on the device when they end.
DURABLE = ("sqlite3", "dconf", "gsettings")
#: The fewest samples of which the first decile is taken.
_DECILES = 10
_RULE = re.compile(r"([≤≥]) ([\d.,]+)(?: ([×+]) (.+))?")


@dataclass(frozen=True)
class Rule:
    """A limit of a row, such as `≤ 16`, `≤ 1.6 × floor` or `≤ 0.57 + floor`."""

    text: str

    def limit(self, figures: dict[str, float]) -> float | None:
        """Returns the limit in the unit of the row; None where the series that it refers to was not measured."""
        _, number, operation, of = self._parts()
        if operation is None:
            return number
        reference = _reference(of, figures)
        if reference is None:
            return None
        return number * reference if operation == "×" else number + reference

    def holds(self, value: float, figures: dict[str, float]) -> bool | None:
        """Returns true if a value keeps the limit."""
        limit = self.limit(figures)
        if limit is None:
            return None
        return value <= limit if self._parts()[0] == "≤" else value >= limit

    def _parts(self) -> tuple[str, float, str | None, str]:
        found = _RULE.fullmatch(self.text)
        if found is None:
            raise Failure(f"{BUDGETS}: “{self.text}” is not a valid limit", then="write it like ≤ 1.6 × floor")
        return found[1], float(found[2].replace(",", "")), found[3], found[4] or ""


def _reference(name: str, figures: dict[str, float]) -> float | None:
    """Returns the figure of a series, or of the best of the peers."""
    if name == "best peer":
        peers = [value for series, value in figures.items() if series not in (OWN, FORMER, FLOOR)]
    elif name == "best durable peer":
        peers = [value for series, value in figures.items() if series in DURABLE]
    else:
        return figures.get(name)
    return min(peers, default=None)


@dataclass
class Row:
    """A row: its budget, and the samples of each series in its unit."""

    name: str
    unit: str
    hold: Rule | None = None
    aim: Rule | None = None
    series: dict[str, list[float]] = field(default_factory=dict)

    def figures(self) -> dict[str, float]:
        """Returns the figure of each series: a time is the first decile of its samples, all else is a median.

        On a busy machine most samples of a time include a wait for the processor; the first decile has none.
        """
        return {name: self._figure(samples) for name, samples in self.series.items() if samples}

    def _figure(self, samples: list[float]) -> float:
        if self.unit not in ("ms", "µs") or len(samples) < _DECILES:
            return statistics.median(samples)
        return statistics.quantiles(samples, n=10)[0]

    def mark(self) -> str:
        """Returns `aim`, `hold` or `missed`; empty where nothing can be compared."""
        figures = self.figures()
        value = figures.get(OWN)
        if value is None:
            return ""
        kept = [rule.holds(value, figures) if rule else None for rule in (self.aim, self.hold)]
        if kept[0]:
            return "aim"
        if kept[1]:
            return "hold"
        # An aim that is not reached is no budget that is missed.
        return "missed" if kept[1] is False else ""

    def json(self) -> dict[str, Any]:
        """Returns the row with its figure, its median and quartiles, and the figures of the other series."""
        figures = self.figures()
        found: dict[str, Any] = {"row": self.name, "unit": self.unit}
        if OWN in figures:
            own = self.series[OWN]
            found |= {"value": rounded(figures[OWN]), "median": rounded(statistics.median(own)),
                      "spread": [rounded(one) for one in quartiles(own)], "samples": len(own)}
        others = {name: rounded(value) for name, value in figures.items() if name != OWN}
        return found | {"others": others, "hold": self.hold.text if self.hold else None,
                        "aim": self.aim.text if self.aim else None, "mark": self.mark()}


def quartiles(samples: list[float]) -> tuple[float, float]:
    """Returns the first and the third quartile, or the smallest and the largest of fewer than four samples."""
    if len(samples) < 4:
        return min(samples), max(samples)
    found = statistics.quantiles(samples, n=4)
    return found[0], found[2]


def rounded(value: float) -> float:
    """Returns a value with four significant digits."""
    return float(f"{value:.4g}")


def text(value: float) -> str:
    """Returns a value as people read it, with three significant digits."""
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


class Table:
    """All rows in the order of the budgets, and what was skipped."""

    def __init__(self, budgets: Path = BUDGETS) -> None:
        """Reads the budgets."""
        rows = json.loads(budgets.read_text(encoding="utf-8"))
        self.rows = {one["row"]: Row(one["row"], one["unit"], *(
            Rule(one[name]) if one.get(name) else None for name in ("hold", "aim"))) for one in rows}
        self.skipped: dict[str, str] = {}

    def add(self, row: str, series: str, samples: float | Iterable[float]) -> None:
        """Adds samples, in the unit of the row."""
        if row not in self.rows:
            raise Failure(f"{BUDGETS} has no row “{row}”", then="add it there, with its unit, hold and aim")
        values = [float(samples)] if isinstance(samples, (int, float)) else list(samples)
        self.rows[row].series.setdefault(series, []).extend(values)

    def skip(self, what: str, reason: str) -> None:
        """Notes what was not measured."""
        self.skipped[what] = reason

    def measured(self) -> list[Row]:
        """Returns the rows that have samples of the measured programs."""
        return [row for row in self.rows.values() if row.series.get(OWN)]

    def document(self, **facts: object) -> dict[str, Any]:
        """Returns the table as JSON, with facts such as the machine and the commit."""
        missing = [row.name for row in self.rows.values() if not row.series.get(OWN)]
        return {**facts, "rows": [row.json() for row in self.measured()], "skipped": self.skipped,
                "not measured": missing}


def merged(document: dict[str, Any], previous: dict[str, Any], groups: Iterable[str]) -> dict[str, Any]:
    """Returns the rows of a run of some groups with the other rows of a previous table of the same programs."""
    if any(document[fact] != previous[fact] for fact in ("commit", "machine", "programs")):
        return document
    rows = {row["row"]: row for row in [*previous["rows"], *document["rows"]]}
    skipped = {name: reason for name, reason in previous["skipped"].items()
               if name not in {f"group {group}" for group in groups}}
    order = [row["row"] for row in json.loads(BUDGETS.read_text(encoding="utf-8"))]
    return {**document, "rows": [rows[name] for name in order if name in rows],
            "skipped": {**skipped, **document["skipped"]},
            "not measured": [name for name in order if name not in rows]}


def with_previous(document: dict[str, Any], former: dict[str, Any] | None) -> dict[str, Any]:
    """Returns a document with the values of the table before it: of another commit, if there is one."""
    if former is None:
        return {**document, "previous": None}
    if former["commit"] == document["commit"]:
        return {**document, "previous": former["previous"]}
    values = {row["row"]: row["value"] for row in former["rows"]}
    return {**document, "previous": {"commit": former["commit"], "values": values}}


def markdown(document: dict[str, Any]) -> str:
    """Returns a table of Markdown, with the values of the previous one next to those of this one."""
    previous = document["previous"]
    values = previous["values"] if previous else {}
    lines = [
        f"# Figures of {document['commit']}", "",
        f"`Benchmarks/run` has written this file and `table.json`: {document['programs']} programs, "
        f"{document['machine']}.",
        f"Previous: {previous['commit'] if previous else 'none'}. Values are figures, with the quartiles in brackets; "
        "[README.md](README.md) describes rows and marks.", "",
        "| row | value | previous | hold | aim | mark | floor and peers |", "|---|---|---|---|---|---|---|"]
    for row in document["rows"]:
        unit = f" {row['unit']}" if row["unit"] else ""
        low, high = row["spread"]
        middle = f"{text(row['median'])}; " if row["median"] != row["value"] else ""
        value = text(row["value"]) + unit + (f" ({middle}{text(low)} to {text(high)})" if low != high else "")
        old = values.get(row["row"])
        others = "; ".join(
            f"{name} {text(figure)}" + ratio(row["value"], figure) for name, figure in row["others"].items())
        lines.append(f"| {row['row']} | {value} | {text(old) + unit if old is not None else ''} | {row['hold'] or ''} | "
                     f"{row['aim'] or ''} | {row['mark']} | {others} |")
    lines += ["", *(f"* Skipped: {what}: {reason}." for what, reason in document["skipped"].items())]
    if document["not measured"]:
        lines.append(f"* Not measured: {'; '.join(document['not measured'])}.")
    return "\n".join(lines).rstrip() + "\n"


def ratio(value: float, other: float) -> str:
    """Returns a value as a multiple of another one, in brackets."""
    return f" ({text(value / other)} ×)" if other else ""

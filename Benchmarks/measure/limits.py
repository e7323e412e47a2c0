"""The figures that the exact rows are compared with: `Benchmarks/exact.json`, by kind of build and architecture."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolchain.failure import FAILED, Failure

from .exact_rows import Figures, depends_on, slack
from .workspace import REPOSITORY

FILE = REPOSITORY / "Benchmarks/exact.json"
#: A row may exceed its figure by this part of it.
SHARE = 0.05
KINDS = ("optimised", "unoptimised", "static")


@dataclass
class Verdict:
    """The result of a row: `failed`, `not compared`, `lower` or `passed`, and its figures in words."""

    row: str
    outcome: str
    text: str


def kind(programs: Path) -> str:
    """Returns the kind of a build: `static` for programs of boards, else `optimised` or `unoptimised`.

    A program does not show how it was optimised: as in Package.swift, CLEAT_OPTIMISED decides.
    """
    if b"/ld-" not in (programs / "cleat").read_bytes()[:4096]:
        return "static"
    return "optimised" if os.environ.get("CLEAT_OPTIMISED") == "1" else "unoptimised"


def conditions(build: str) -> dict[str, str]:
    """Returns the versions that figures depend on: of the compiler, the C library and the kernel."""
    library = "musl of the SDK" if build == "static" else " ".join(platform.libc_ver())
    return {"swift": _swift(), "libc": library, "kernel": ".".join(platform.release().split(".")[:2])}


def _swift() -> str:
    if not shutil.which("swift"):
        return "none"
    try:
        done = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=False, timeout=60)
    except subprocess.TimeoutExpired:
        return "unknown"
    found = re.search(r"Swift version (\S+)", done.stdout + done.stderr)
    return found[1] if found else "unknown"


class Limits:
    """The figures of one kind of build on one architecture."""

    def __init__(self, build: str, file: Path = FILE) -> None:
        """Reads the file; a kind of build that it does not have has no figures."""
        self._file, self._build, self._machine = file, build, platform.machine()
        try:
            self._all: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
        except ValueError as error:
            raise Failure(f"{file} is not valid JSON: {error}",
                          then="correct it, or write it again: Benchmarks/exact --update", status=FAILED) from error
        own = self._all.get(build, {}).get(self._machine, {})
        self._rows: dict[str, float] = own.get("rows", {})
        self._of: dict[str, str] = own.get("measured with", {})
        self._here = conditions(build)

    @property
    def name(self) -> str:
        """The kind of build and the architecture."""
        return f"{self._build}, {self._machine}"

    def verdicts(self, figures: Figures) -> list[Verdict]:
        """Compares the smallest measurement of each row with its figure."""
        found = [self._verdict(row, min(values)) for row, values in figures.rows.items()]
        for row in self._rows:
            if row not in figures.rows and not figures.skipped:
                found.append(Verdict(
                    row, "failed", "was not measured; if the row is no longer one, run Benchmarks/exact --update"))
        return found

    def _verdict(self, row: str, value: float) -> Verdict:
        figure = self._rows.get(row)
        if figure is None:
            return Verdict(row, "not compared", f"{number(value)}; {FILE.name} has no figure for {self.name}")
        differ = [f"{name} {self._here[name]} instead of {self._of.get(name)}" for name in depends_on(row)
                  if self._here[name] != self._of.get(name)]
        if differ:
            return Verdict(row, "not compared", f"{number(value)}; the figure is that of another {', '.join(differ)}")
        text = f"{number(value)}, figure {number(figure)} ({value / figure - 1:+.1%})" if figure else number(value)
        margin = max(SHARE * figure, slack(row))
        if value > figure + margin:
            return Verdict(row, "failed", f"{text}; at most {number(figure + margin)}")
        return Verdict(row, "lower" if value < figure - margin else "passed", text)

    def update(self, figures: Figures) -> None:
        """Writes the measured rows to the file; rows of skipped groups keep their figures."""
        rows = {row: round(max(values), 3) for row, values in figures.rows.items()}
        if figures.skipped:
            rows = {**self._rows, **rows}
        self._all.setdefault(self._build, {})[self._machine] = {"measured with": self._here, "rows": rows}
        text = json.dumps(self._all, indent=2, sort_keys=True, ensure_ascii=False)
        self._file.write_text(text + "\n", encoding="utf-8")


def number(value: float) -> str:
    """Returns a figure as text: without a fraction from 1,000 on."""
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.2f}"

"""The progress and the results of a run, as text."""

from __future__ import annotations

import sys
import textwrap
from collections import Counter
from pathlib import Path

from target.suites import SuiteResult


class Progress:
    """Lines on standard error while it runs; on a terminal a passed test's line gives way to the next."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._passing = False

    def say(self, line: str) -> None:
        """Shows one line."""
        if self._passing:
            sys.stderr.write("\r\033[K")
        self._passing = self._terminal and (line.startswith("passed") or " of " in line)
        sys.stderr.write(line[:150] if self._passing else line + "\n")
        sys.stderr.flush()

    def title(self, text: str) -> None:
        """Begins a suite."""
        self.say(f"== {text}")

    def end(self) -> None:
        """Leaves the terminal as it is to be."""
        if self._passing:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()
            self._passing = False


def summary(results: list[SuiteResult], seconds: float, listing: Path) -> list[str]:
    """Returns what failed or was interrupted, figures, skipped tests by reason, a line a suite; the last line alone is
    the sum. The names of the skipped tests are written to `listing`."""
    lines: list[str] = []
    for result in results:
        for name, said in result.failed:
            lines += [f"FAILED {result.name}: {name}", textwrap.indent(said.rstrip()[-6000:], "    ")]
    for result in results:
        for name, doing in result.interrupted:
            lines += [f"INTERRUPTED {result.name}: {name}", textwrap.indent(doing.rstrip()[-6000:], "    ")]
    for result in results:
        if result.figures:
            lines += ["", f"{result.name:<52} {'figure':>32}  hold"]
            lines += [f"  {measure:<50} {figure:>32}  {hold}" for measure, figure, hold in result.figures]
    lines += _skipped(results, listing)
    lines += ["", f"{'suite':<32} {'passed':>7} {'failed':>7} {'skipped':>8} {'time':>8}"]
    for result in results:
        lines.append(f"{result.name:<32} {result.passed:7} {len(result.failed):7} {len(result.skipped):8} "
                     f"{result.seconds:6.0f} s{'  interrupted' if result.interrupted else ''}")
    lines.append(f"{'':<32} {'':>7} {'':>7} {'':>8} {seconds:6.0f} s")
    passed, failed, skipped, interrupted = (
        sum(result.passed for result in results), sum(len(result.failed) for result in results),
        sum(len(result.skipped) for result in results), sum(len(result.interrupted) for result in results))
    if interrupted:
        lines.append(f"{interrupted} interrupted: what they would have tested is not known")
    return [*lines, f"{passed} passed, {failed} failed, {skipped} skipped"]


def _skipped(results: list[SuiteResult], listing: Path) -> list[str]:
    """Returns a line for each reason, the most frequent first, and writes the names to a file."""
    entries = [(result.name, name, reason) for result in results for name, reason in result.skipped]
    listing.parent.mkdir(parents=True, exist_ok=True)
    listing.write_text("".join(f"{suite}\t{name}\t{reason}\n" for suite, name, reason in entries), encoding="utf-8")
    if not entries:
        return []
    reasons = Counter(reason for _, _, reason in entries)
    return ["", f"skipped, by reason (names: {listing})",
            *(f"  {count:4}  {reason}" for reason, count in reasons.most_common())]

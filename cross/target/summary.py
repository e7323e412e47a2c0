"""What a person sees of a run: how far it is, and what came of it."""

from __future__ import annotations

import sys
import textwrap

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


def summary(results: list[SuiteResult], seconds: float) -> list[str]:
    """Failures, skipped tests, figures, a table by suite; the last line alone is the sum."""
    lines: list[str] = []
    for result in results:
        for name, said in result.failed:
            lines += [f"FAILED {result.name}: {name}", textwrap.indent(said.rstrip()[-6000:], "    ")]
    for result in results:
        lines += [f"skipped {result.name}: {name}: {reason}" for name, reason in result.skipped]
    for result in results:
        if result.figures:
            lines += ["", f"{result.name:<52} {'figure':>32}  hold"]
            lines += [f"  {measure:<50} {figure:>32}  {hold}" for measure, figure, hold in result.figures]
    lines += ["", f"{'suite':<20} {'passed':>7} {'failed':>7} {'skipped':>8} {'time':>8}"]
    for result in results:
        lines.append(f"{result.name:<20} {result.passed:7} {len(result.failed):7} {len(result.skipped):8} "
                     f"{result.seconds:6.0f} s")
    lines.append(f"{'':<20} {'':>7} {'':>7} {'':>8} {seconds:6.0f} s")
    passed, failed, skipped = (
        sum(result.passed for result in results), sum(len(result.failed) for result in results),
        sum(len(result.skipped) for result in results))
    return [*lines, f"{passed} passed, {failed} failed, {skipped} skipped"]

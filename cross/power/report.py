"""The report of a run of power cuts: a table for people, JSON for programs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .cutset import CutSet
from .cycle import Cycle


@dataclass
class Report:
    """Everything that ran; each set of cuts, each control and each cycle is one check."""

    seed: int
    method: str
    sets: list[CutSet] = field(default_factory=list)
    cycles: list[Cycle] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    """Checks that could not run to their end, with the reason."""
    skipped: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def passed(self) -> int:
        """The number of checks that passed."""
        return sum(one.passed for one in self.sets) + sum(one.passed for one in self.cycles)

    @property
    def failed(self) -> int:
        """The number of checks that failed."""
        return len(self.sets) + len(self.cycles) + len(self.failures) - self.passed

    def text(self, kept: Path | None) -> str:
        """The table, every violation with what it takes to repeat it, and what was skipped."""
        rows = [("variant", "acknowledged", "operations", "flushes", "cuts", "lost", "corrupt", "ok", "")]
        for one in self.sets:
            log, control = one.recording.log, one.recording.variant.control
            end = "BLIND" if one.blind else "must fail, and does" if control else "" if one.passed else "FAILED"
            rows.append((one.recording.variant.name, str(one.acknowledged), str(len(log)), str(len(log.flushes)),
                         str(one.cuts), str(one.verdicts["lost"]), str(one.verdicts["corrupt"]),
                         str(one.verdicts["ok"]), end))
        widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
        lines = []
        if self.sets:
            lines += ["".join(_cell(row, column, widths) for column in range(len(row))).rstrip() for row in rows]
            lines.append(f"journal replayed by {self.method}; seed {self.seed}")
        for one in self.sets:
            lines += _explain(one, kept)
        for cycle in self.cycles:
            name = "the control cycle" if cycle.control else f"cycle {cycle.number}"
            if cycle.place:
                name = f"the reboot after “{cycle.place}”"
            if not cycle.passed:
                lines.append(f"FAILED {name}: {cycle.outcome}")
            elif cycle.control:
                lines.append(f"{name} (cleatd without barriers): {cycle.outcome}")
        if reboots := [cycle for cycle in self.cycles if cycle.place]:
            good = sum(cycle.passed for cycle in reboots)
            lines.append(f"{good} of {len(reboots)} reboots at the places of a change left one state, whole: the one that was "
                         "acknowledged, or in flight")
        if real := [cycle for cycle in self.cycles if not cycle.control and not cycle.place]:
            good = sum(cycle.passed for cycle in real)
            lines.append(f"{good} of {len(real)} kill-and-reboot cycles kept all that cleatd had acknowledged")
        lines += [f"FAILED {failure}" for failure in self.failures]
        lines += [f"skipped {reason}" for reason in self.skipped]
        return "\n".join(lines)

    @property
    def counts(self) -> str:
        """The last line."""
        return f"{self.passed} passed, {self.failed} failed, {len(self.skipped)} skipped"

    def json(self) -> str:
        """The same for programs."""
        return json.dumps({
            "seed": self.seed, "method": self.method, "seconds": round(self.seconds, 1),
            "sets": [_set(one) for one in self.sets],
            "cycles": [asdict(cycle) | {"passed": cycle.passed} for cycle in self.cycles],
            "failures": self.failures, "skipped": self.skipped,
            "counts": {"passed": self.passed, "failed": self.failed, "skipped": len(self.skipped)},
        }, indent=2)


def _cell(row: tuple[str, ...], column: int, widths: list[int]) -> str:
    if column == len(row) - 1:
        return row[column]
    text = row[column]
    return (text.ljust(widths[column]) if column == 0 else text.rjust(widths[column])) + "  "


def _explain(one: CutSet, kept: Path | None) -> list[str]:
    name, variant = one.recording.variant.name, one.recording.variant
    lines = []
    if one.blind:
        lines.append(f"FAILED {name}: {one.blind}")
    if variant.control:
        if one.violations:
            first = one.violations[0]
            said = (first.finding.corrupt + first.finding.lost)[0]
            lines.append(f"{name} ({variant.what}): {len(one.violations)} of {one.cuts} cuts violate, as they must; the "
                         f"first at {first.cut}: {said[:160]}")
        return lines
    for violation in one.violations[:8]:
        lines.append(f"FAILED {name} at cut {violation.cut}: "
                     + "; ".join(violation.finding.corrupt + violation.finding.lost)[:600])
    if one.violations and kept is not None:
        lines.append(f"  repeat with: cross/power/run --replay {kept} --only {name} --cut {one.violations[0].cut}")
    return lines


def _set(one: CutSet) -> dict[str, object]:
    variant = one.recording.variant
    return {
        "variant": variant.name, "what": variant.what, "control": variant.control, "passed": one.passed,
        "blind": one.blind, "acknowledged": one.acknowledged, "operations": len(one.recording.log),
        "flushes": len(one.recording.log.flushes), "cuts": one.cuts, "verdicts": dict(one.verdicts),
        "cuts_with_promises": one.with_promises, "cuts_with_unflushed_writes": one.with_loose_writes,
        "checked": dict(one.checked),
        "violations": [{"cut": str(violation.cut), "lost": violation.finding.lost,
                        "corrupt": violation.finding.corrupt} for violation in one.violations],
    }

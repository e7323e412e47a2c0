"""Cuts one recording's power at many instants and gathers what each cut has left."""

from __future__ import annotations

import threading
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Sequence

from .checker import Checker, Finding, sound
from .recording import Recording
from .replay import Cut, Replayer, choose, promised, write_sparse
from .states import allowed
from .variants import PLACE


@dataclass
class Violation:
    """A cut after which something did not hold."""

    cut: Cut
    finding: Finding


@dataclass
class CutSet:
    """The results of all cuts of one recording."""

    recording: Recording
    verdicts: Counter[str] = field(default_factory=Counter)
    checked: Counter[str] = field(default_factory=Counter)
    violations: list[Violation] = field(default_factory=list)
    with_promises: int = 0
    with_loose_writes: int = 0

    @property
    def cuts(self) -> int:
        """The number of cuts."""
        return sum(self.verdicts.values())

    @property
    def acknowledged(self) -> int:
        """The number of generations, or files, that the guest has acknowledged in the whole run."""
        return promised(self.recording.log, len(self.recording.log))[0]

    @property
    def blind(self) -> str:
        """Why this set could not have found anything; empty where it could."""
        if self.recording.variant.control:
            # A disk that cannot even be mounted shows nothing of the store's own promises.
            caught = any(violation.finding.checked for violation in self.violations)
            return "" if caught else "the control passed every check: the test proves nothing"
        if self.acknowledged < 10:
            return f"only {self.acknowledged} acknowledged: the run was too short to prove anything"
        if self.with_promises * 2 < self.cuts or self.with_loose_writes * 4 < self.cuts:
            return (f"only {self.with_promises} of {self.cuts} cuts had something to keep, "
                    f"{self.with_loose_writes} something to lose")
        return ""

    @property
    def passed(self) -> bool:
        """True if a promise held everywhere, or a control was caught."""
        return not self.blind and (self.recording.variant.control or not self.violations)


def run_cuts(recording: Recording, cuts: Sequence[Cut], checker: Checker, *, jobs: int,
             say: Callable[[str], None], keep: Path | None = None) -> CutSet:
    """Makes the image of each cut and has it checked, several at a time."""
    result = CutSet(recording)
    base = recording.base.read_bytes()
    replayer = Replayer(base, recording.log.operations)
    last = promised(recording.log, len(recording.log))[0] + 1
    free = threading.Semaphore(jobs + 1)
    variant = recording.variant
    keep_cuts = keep is not None and not variant.control

    def check(image: Path, cut: Cut) -> Finding:
        try:
            if variant.serves:
                expected = allowed(recording.log, cut.position)
            else:
                expected = variant.promise(*promised(recording.log, cut.position), last)
            finding = checker.check(image, variant.verifier, PLACE, expected)
            if not finding.ok and not variant.control:
                finding.corrupt.append(sound(image)) if finding.corrupt else finding.lost.append(sound(image))
            return finding
        finally:
            image.unlink(missing_ok=True)
            free.release()

    done: list[tuple[Cut, Future[Finding]]] = []
    with ThreadPoolExecutor(jobs) as pool:
        for number, cut in enumerate(sorted(cuts)):
            free.acquire()
            content = replayer.image(cut)
            result.with_promises += promised(recording.log, cut.position)[0] > 0
            result.with_loose_writes += replayer.unflushed > 0
            image = checker.work / f"{variant.name}-{number}.img"
            write_sparse(content, image)
            done.append((cut, pool.submit(check, image, cut)))
            if number % 20 == 19:
                say(f"{variant.name}: {number + 1} of {len(cuts)} cuts")
    for cut, future in done:
        finding = future.result()
        result.verdicts[finding.verdict] += 1
        result.checked.update(finding.checked)
        if not finding.ok:
            result.violations.append(Violation(cut, finding))
    if keep_cuts:
        for violation in result.violations[:8]:
            write_sparse(Replayer(base, recording.log.operations).image(violation.cut),
                         keep / f"{variant.name}-{violation.cut.position}-{violation.cut.fate}.img")
    return result


def all_cuts(recording: Recording, total: int, seed: int) -> list[Cut]:
    """The cuts of a recording's share."""
    return choose(recording.log, recording.variant.cuts(total), seed)

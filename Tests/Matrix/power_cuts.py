"""Power cuts at random instants of a change, each followed by a boot: the change must be whole or absent.

One of four is followed by a second one, while the agent starts. A change that was acknowledged must be whole, and one that
was on trial must be absent. Half of the instants are around the end of the change, where it is recorded.
The instants follow from `CLEAT_MATRIX_SEED`; `CLEAT_MATRIX_CUTS` is their number.
"""

from __future__ import annotations

import os
import random
import shlex
import sys
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field

from board import Board, Failure
from states import NEW, OLD, Change, Whole, expect, expect_clean, expect_whole, settings, whole

CUTS = int(os.environ.get("CLEAT_MATRIX_CUTS", "20"))
SEED = int(os.environ.get("CLEAT_MATRIX_SEED", "1"))
#: The kinds of changes that are interrupted: one that is in force at once, one on trial, one that is confirmed.
KINDS = ("set", "trial", "confirm")
#: The longest time in seconds after which the power is cut again while the agent reverts at boot.
RECOVERY = 0.25


@dataclass
class Cut:
    """A change, and the instant at which the power is cut."""

    kind: str
    target: Change
    is_new: bool
    seconds: float
    #: Seconds of the next start after which the power is cut again; None if it is not.
    recovery: float | None = None
    #: The id of its transaction, which is used once only.
    identifier: str = field(default_factory=lambda: f"cut-{uuid.uuid4()}")

    def script(self, board: Board) -> str:
        """Returns the lines that make the change."""
        change = f"cleat {shlex.join(self.target.change(board.service))}"
        if self.kind == "set":
            return change
        lines = f"{change} --confirm 5m --id {self.identifier}"
        return lines if self.kind == "trial" else f"{lines}; cleat confirm {self.identifier}"

    def __str__(self) -> str:
        side = "the new" if self.is_new else "the old"
        again = "" if self.recovery is None else f" and again {self.recovery * 1000:.0f} ms after the start of cleatd"
        return f"{self.kind} of {side} settings, cut after {self.seconds * 1000:.0f} ms{again}"


def cut_power(board: Board, old: Change = OLD, new: Change = NEW, cuts: int = CUTS, what: str = "cut") -> str:
    """Cuts the power many times; returns the number of changes that were whole and absent."""
    chance = random.Random(f"{SEED} {board.service.name}{what.removeprefix('cut')}")
    states: dict[bool, Whole] = {}
    durations: dict[tuple[str, bool], float] = {}
    for is_new, target in ((True, new), (False, old)):
        for kind in KINDS:
            # The duration of a whole change, from and to these settings.
            cut = Cut(kind, target, is_new, 0)
            start = time.monotonic()
            _finish(board, cut)
            durations[kind, is_new] = time.monotonic() - start
            if kind == "trial":
                board.cleat("abort", cut.identifier, status=0)
                expect(board, "aborted", (old if is_new else new).network(board.service))
            elif kind == "set":
                _put(board, old if is_new else new)
        before = whole(board)
        board.cut_power()
        board.boot()
        expect_whole(board, "a boot without a change", before)
        expect_clean(board, "a boot without a change")
        states[is_new] = whole(board)
    counts: Counter[str] = Counter()
    is_new = False
    for number in range(1, cuts + 1):
        cut = Cut(chance.choices(KINDS, (2, 1, 2))[0], old if is_new else new, not is_new, 0)
        part = chance.uniform(0, 1.1) if number % 2 else chance.uniform(0.85, 1.25)
        cut.seconds = part * durations[cut.kind, cut.is_new]
        if chance.random() < 0.25:
            cut.recovery = chance.uniform(0, RECOVERY)
        is_new = _cut(board, f"{what} {number} of {cuts} (seed {SEED}): {cut}", cut, states)
        counts["whole" if is_new == cut.is_new else "absent"] += 1
        outcome = "new" if is_new else "old"
        print(f"{board.service.name}: {what} {number}: {cut}: {outcome} settings", file=sys.stderr, flush=True)
    return f"ok; {counts['whole']} whole, {counts['absent']} absent"


def _put(board: Board, target: Change) -> None:
    """Makes a change without an interruption."""
    board.cleat(*target.change(board.service), status=0)
    expect(board, "set", target.network(board.service))


def _finish(board: Board, cut: Cut) -> None:
    """Makes a whole change."""
    process = board.start_cleat(cut.script(board))
    if (status := process.wait(120)) != 0:
        raise Failure(f"{cut.script(board)} ended with {status}")


def _cut(board: Board, name: str, cut: Cut, states: dict[bool, Whole]) -> bool:
    """Makes a change and cuts the power meanwhile; returns true if the new settings are in force after the boot."""
    process = board.start_cleat(cut.script(board))
    time.sleep(cut.seconds)
    is_acknowledged = process.poll() == 0
    board.cut_power()
    process.wait(10)
    if cut.recovery is not None:
        board.boot(until=cut.recovery)
        board.cut_power()
    board.boot()
    if board.fault == "edit":
        for path in [board.disk / "etc/resolv.conf", *(board.disk / "etc").rglob("*cleat-*")]:
            path.write_text(path.read_text(encoding="utf-8") + "# edited\n", encoding="utf-8")
    found = settings(board)
    is_changed = found == states[True].settings
    if found not in (states[True].settings, states[False].settings):
        raise Failure(f"{name}: the settings are neither the old nor the new ones: {found}")
    expect_whole(board, name, states[is_changed])
    expect_clean(board, name)
    if cut.kind == "trial" and is_changed == cut.is_new:
        raise Failure(f"{name}: the change on trial is in force after the boot")
    if cut.kind != "trial" and is_acknowledged and is_changed != cut.is_new:
        raise Failure(f"{name}: the change was acknowledged before, and is absent after the boot")
    return is_changed

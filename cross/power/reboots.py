"""Kills the service at every crash point of a change, and cuts the power of its board at that instant.

A board has several disks, each with its own service and system: each service dies at another crash point. The next
boot finds the flushed writes of the disk, and some of the others.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from vboard.board import Board, BoardError, Disk
from vboard.machine import MOST_DISKS
from vboard.newc import Archive

from .applying import BoardService, ClientFailed, Programs
from .cycle import Cycle
from .cycles import LOSSES
from .disk import VolatileDisk
from .guest import GuestFailed, mount
from .nbd import NBDServer
from .replay import Cut, Replayer
from .states import SETTINGS, differences, read_archive, tree, values
from .variants import PLACE, make_disk

MOST = 60
"""More places than a change has."""
NEEDED = {"arm ends", "applied /etc/hostname", "apply ends", "beginWindow ends", "restored /etc/demo.conf",
          "recordRevert ends", "recordConfirmation begins", "recordConfirmation ends"}
"""Crash points that must be among those at which it has died: otherwise it is another program."""


@dataclass(frozen=True)
class Task:
    """A change that is made and confirmed, or aborted, and how many places it gets beyond a first one."""

    first: str
    more: int
    confirmed: bool


@dataclass
class Side:
    """One disk, with what is known of it."""

    name: str
    image: Path
    state: int = 0
    last: int = 0
    """The number of the last change."""
    cycle: Cycle | None = None
    """The cut that is checked after the next boot."""
    allowed: set[int] = field(default_factory=lambda: {0})
    position: int | None = None
    spoilt: bool = False
    """True if it is unusable: the file system or the store did not survive a cut."""


class Reboots:
    """Reboots until all crash points of a change were used; `cycles` has the result of each."""

    def __init__(self, programs: Programs, work: Path, seed: int, say: Callable[[str], None],
                 logs: Path | None = None, most: int | None = None) -> None:
        """Prepares the reboots: at so many places, or at all that there are."""
        self._programs = programs
        self._most = most
        self._work = work
        self._seed = seed
        self._chance = random.Random(f"reboots {seed}")
        self._say = say
        self._logs = logs
        self._ended = False
        self._tasks = itertools.islice(self._all_tasks(), most)
        self.cycles: list[Cycle] = []

    def _all_tasks(self) -> Iterator[Task]:
        # The end of the confirmation has two places, known by name; those of the rest are counted until there is no more.
        for more in (0, 1):
            yield Task("recordConfirmation begins", more, confirmed=True)
        for more in range(MOST):
            if self._ended:
                return
            yield Task("arm begins", more, confirmed=False)

    def run(self) -> None:
        """Runs; raises where the test itself could not go on."""
        sides = [Side(f"side{number}", self._work / f"side{number}.img") for number in range(MOST_DISKS)]
        for side in sides:
            make_disk(side.image, system=True)
        board: Board | None = None
        try:
            while True:
                with contextlib.ExitStack() as stack:
                    disks = {}
                    for side in sides:
                        disks[side.name] = VolatileDisk(side.image)
                        stack.callback(disks[side.name].close)
                        stack.enter_context(NBDServer(disks[side.name], self._socket(side)))
                    bases = {side.name: side.image.read_bytes() for side in sides}
                    if board is None:
                        board = Board.start(
                            "bare", disks=[Disk(f"nbd+unix:///?socket={self._socket(side)}", serial=side.name)
                                           for side in sides], log_directory=self._logs, overlay=self._overlay())
                    else:
                        board.restart()
                    for side in sides:
                        self._meet(board, side, disks[side.name])
                    board.cut()
                if not any(side.cycle for side in sides):
                    break
                for side in sides:
                    self._cut(side, disks[side.name], bases[side.name])
        finally:
            if board is not None:
                board.close()
        met = {cycle.place for cycle in self.cycles}
        if self._most is None and (missing := NEEDED - met):
            raise GuestFailed(f"it never died at {', '.join(sorted(missing))}; it did at {', '.join(sorted(met))}")

    def _socket(self, side: Side) -> Path:
        return self._work / f"{side.name}.sock"

    def _overlay(self) -> bytes:
        """The programs, in the board's initramfs: copied once, and there after each start."""
        content = io.BytesIO()
        with Archive(content) as archive:
            archive.directory("tmp", 0o1777)
            archive.file("tmp/cleatd", self._programs.crashing, 0o755)
            archive.file("tmp/cleat", self._programs.client, 0o755)
        return content.getvalue()

    def _meet(self, board: Board, side: Side, disk: VolatileDisk) -> None:
        """Checks the disk after the last cut, and makes the next change, in which the service dies."""
        if side.spoilt:
            return
        cycle, side.cycle = side.cycle, None
        task = next(self._tasks, None)
        if cycle is None and task is None:
            return
        where = f"/mnt/{side.name}"
        try:
            mount(board, side.name, where, "commit=300")
            service = BoardService(board, self._programs, f"{where}/{PLACE}")
            service.start(**({"CLEAT_CRASH_POINT": f"{task.first}+{task.more}"} if task else {}))
        except (BoardError, GuestFailed) as error:
            if cycle is None:
                raise
            cycle.checked.append("starts")
            cycle.problems.append(f"cleatd did not start after the cut: {error}")
            side.spoilt = True
            return
        if cycle is not None:
            self._check(service, side, cycle)
        if task is not None and (place := self._die(service, side, task)) is not None:
            side.position = len(disk.log)
            side.cycle = Cycle(len(self.cycles) + 1, place=place)
            self.cycles.append(side.cycle)
        else:
            service.kill()

    def _check(self, service: BoardService, side: Side, cycle: Cycle) -> None:
        """Checks that settings and files are one state, without missing parts."""
        files = read_archive(service.packed())
        cycle.checked.append("starts")
        listed = {one["path"]: one["value"] for one in service.ask("list", "--only-set")["settings"]}
        settings = [listed.get(path) for path in SETTINGS]
        number = settings[0] if isinstance(settings[0], int) else 0
        cycle.found = [number]
        if number not in side.allowed:
            cycle.problems.append(f"state {number} is there, not one of {sorted(side.allowed)}")
        if settings != values(number):
            cycle.problems.append(f"the settings are {settings}, which is not a state")
        cycle.problems += differences(files, tree(number))[:4]
        cycle.checked += ["acknowledged", "whole"]
        side.state = number
        self._say(f"died at “{cycle.place}”, {cycle.fate} kept, found state {number} of {cycle.acknowledged}: "
                  f"{cycle.outcome}")

    def _die(self, service: BoardService, side: Side, task: Task) -> str | None:
        """Makes a change and ends it, until the service has died; returns the name of the place, None where it lives."""
        side.last += 1
        side.allowed = {side.state}
        identifier = f"change-{side.last}"
        try:
            service.ask(*service.change(side.last), "--confirm", "1d", "--id", identifier)
            if task.confirmed:
                side.allowed.add(side.last)
                service.ask("confirm", identifier)
                side.state, side.allowed = side.last, {side.last}
            else:
                service.ask("abort", identifier)
        except ClientFailed as error:
            place = service.died_at()
            if place is None:
                raise GuestFailed(f"the service failed without dying at its crash point: {error}") from error
            return place
        # A missing crash point of the confirmation is reported at the end.
        self._ended = self._ended or not task.confirmed
        return None

    def _cut(self, side: Side, disk: VolatileDisk, base: bytes) -> None:
        """Restores the disk as it was when its service died."""
        if side.cycle is None or side.position is None:
            return
        fate = self._chance.choice(LOSSES)
        replayer = Replayer(base, disk.log.operations)
        side.image.write_bytes(replayer.image(Cut(side.position, fate.value, f"{self._seed}.{side.cycle.number}")))
        side.cycle.fate = f"{fate.value} of {replayer.unflushed} writes that were not flushed"
        side.cycle.acknowledged = sorted(side.allowed)

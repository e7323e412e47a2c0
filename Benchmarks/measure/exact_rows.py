"""The exact rows: figures of one build that are the same in each run, whatever else the machine does."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from . import counts
from .service import Connection, Service, message
from .settings import FOLLOWED, MANAGED, ONE, hundred, managed, managed_values
from .workspace import Workspace, note

#: The number of settings of the service that the clients use.
SETTINGS = 1_000
#: The number of managed files, of which a set changes one, where much is configured.
FILES = 50
#: The name of a verb, and its words; `{n}` is a number of four digits that differs each time.
VERBS = {
    "get": ("get", ONE), "set": ("set", f"{ONE}={{n}}"), "why": ("why", ONE), "status": ("status",),
    "list": ("list",), "log": ("log",), "plan": ("plan", f"{ONE}={{n}}")}
#: The verbs whose instructions are counted: each takes a second below callgrind.
_GROUND = ("get", "set", "why", "status")
_GETS, _SETS = 1_000, 200
#: Runs of a process for its page faults: the smallest number counts, as the page cache may lack pages in the first.
_RUNS = 5


@dataclass
class Figures:
    """The measured rows, and the groups of rows that this machine lacks a part for."""

    rows: dict[str, list[float]] = field(default_factory=dict)
    #: The group of each row.
    groups: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)

    def add(self, group: str, row: str, value: float) -> None:
        """Adds one measurement of a row."""
        self.groups[row] = group
        self.rows.setdefault(row, []).append(value)


class ExactRows:
    """Measures all exact rows of two programs."""

    def __init__(self, workspace: Workspace, programs: Path) -> None:
        """Takes a copy of the programs."""
        self._workspace = workspace
        self._programs = workspace.copy_of(programs)
        self._number = 1000
        self._group = ""
        self.figures = Figures()

    def measure(self, turn: int = 0, groups: Collection[str] | None = None) -> Figures:
        """Measures all rows once, or those of some groups; each time has a `turn` of its own."""
        strace = counts.strace_lacks()
        valgrind = counts.lacking("valgrind", "valgrind")
        device = counts.loop_device_lacks()
        for group, lacks, work in (
                ("page faults", None, self._faults),
                ("system calls", strace, self._system_calls),
                ("files opened at a start", strace, self._opens),
                ("instructions", valgrind, self._instructions),
                ("bytes and flushes", device, self._device)):
            if groups is not None and group not in groups:
                continue
            if lacks:
                self.figures.skipped[group] = lacks
                continue
            # A line for each group: a run without output for minutes counts as one that hangs.
            print(f"counting {group}", flush=True)
            note(group)
            self._group = group
            try:
                work(turn)
            except counts.Lacking as error:
                self.figures.skipped[group] = str(error)
        note("")
        return self.figures

    def _add(self, row: str, value: float) -> None:
        self.figures.add(self._group, row, value)

    def _service(self, name: str, turn: int, **options: Any) -> Service:
        return Service(self._workspace, self._programs, f"{name}{turn}", **options)

    def _next(self) -> int:
        """Returns a number of four digits that differs from the one before."""
        self._number = 1000 + (self._number - 999) % 9000
        return self._number

    def _words(self, service: Service, verb: str) -> list[str]:
        return service.cleat(*(word.replace("{n}", str(self._next())) for word in VERBS[verb]))

    def _variables(self, service: Service) -> dict[str, str]:
        """Returns the only variables of a client: their number and length change its page faults."""
        return {"CLEAT_SOCKET": str(service.socket), "PATH": "/usr/bin:/bin"}

    def _gets(self, connection: Connection, number: int) -> None:
        get = message("Settings.Get", path=ONE).encode()
        for _ in range(number):
            connection.exchange(get)

    def _sets(self, connection: Connection, number: int) -> None:
        for _ in range(number):
            connection.set([(ONE, self._next())])

    def _faults(self, turn: int) -> None:
        """Counts page faults of clients, and of the service a call."""
        service = self._service("faults", turn).start().fill(SETTINGS)
        for verb in VERBS:
            found = [counts.spawn(self._words(service, verb), self._variables(service)).faults for _ in range(_RUNS)]
            self._add(f"cleat {verb}: page faults", min(found))
        with service.connect() as connection:
            for name, work, number in (("get", self._gets, _GETS), ("set", self._sets, _SETS)):
                work(connection, number)
                before = counts.page_faults(service.pid)
                work(connection, number)
                self._add(
                    f"service, {name} over a connection: page faults",
                    (counts.page_faults(service.pid) - before) / number)
        service.stop()

    def _system_calls(self, turn: int) -> None:
        """Counts system calls of clients, and of the service a call."""
        service = self._service("calls", turn).start().fill(SETTINGS)
        for verb in VERBS:
            found = counts.system_calls(self._workspace, self._words(service, verb), self._variables(service))
            self._add(f"cleat {verb}: system calls", found)
        with service.connect() as connection:
            for name, work in (("get", self._gets), ("set", self._sets)):
                work(connection, 50)
                taken: list[int] = []
                with counts.traced(self._workspace, service.pid, taken):
                    work(connection, 100)
                self._add(f"service, {name} over a connection: system calls", taken[0] / 100)
        service.stop()

    def _opens(self, turn: int) -> None:
        """Counts the files of its own directories that a service opens before READY=1."""
        service = self._service("opens", turn).start().fill(SETTINGS)
        service.stop()
        log = self._workspace.data / f"opens{turn}.strace"
        trace = "trace=open,openat,openat2,sendto,sendmsg"
        service.start(["strace", "-f", "-q", "-y", "-s", "4096", "-e", trace, "-o", log])
        lines = log.read_text("utf-8", "replace").splitlines()
        service.stop_traced()
        before = []
        for line in lines:
            if "READY=1" in line:
                break
            # A walk to a file opens each directory with O_PATH; their number depends on the place. A call that another
            # thread interrupts has two lines; the second one is marked.
            if re.match(r"\d+ +open(at2?)?\(", line) and "O_PATH" not in line and any(
                    str(place) in line for place in (service.directory, service.runtime)):
                before.append(line)
        self._add("service, start: files opened before READY", len(before))

    def _instructions(self, turn: int) -> None:
        """Counts instructions of clients, and of the service a call."""
        service = self._service("instructions", turn).start().fill(SETTINGS)
        for verb in _GROUND:
            found = counts.instructions(self._workspace, self._words(service, verb), self._variables(service))
            self._add(f"cleat {verb}: instructions", found)
        service.stop()
        grinding = counts.CallgrindRun(self._workspace)
        service.start(grinding.prefix)
        with service.connect() as connection:
            for name, work, number in (("get", self._gets, 100), ("set", self._sets, 50)):
                work(connection, number)
                found = grinding.count(service.pid, lambda: work(connection, number))
                self._add(f"service, {name} over a connection: instructions", found / number)
        service.stop()
        self._growth(turn)

    def _growth(self, turn: int) -> None:
        """Counts instructions of the service for a set where much is configured."""
        service = self._service("much", turn, schemas=managed(FILES)).start().fill(5 * SETTINGS)
        with service.connect() as connection:
            connection.set(managed_values(files=FILES))
        service.stop()
        grinding = counts.CallgrindRun(self._workspace)
        service.start(grinding.prefix)

        def followed(connection: Connection, number: int) -> None:
            for index in range(number):
                connection.set([(ONE, self._next())])
                connection.set([(f"managed/n{index * 7 % FILES}/value", self._next())])

        with service.connect() as connection:
            for name, work, number in (
                    (f"of {5 * SETTINGS:,} settings", self._sets, 50),
                    (f"followed by one of {FILES} files, and one that none follows", followed, 10)):
                work(connection, number)
                found = grinding.count(service.pid, lambda: work(connection, number))
                self._add(f"service, set {name}: instructions", found / number)
        service.stop()

    def _device(self, turn: int) -> None:
        """Counts bytes and flushes that reach a device."""
        device = counts.Device(self._workspace, f"device{turn}")
        service = Service(
            self._workspace, self._programs, f"device-service{turn}", directory=device.directory,
            schemas={"followed": FOLLOWED, **managed()}).start().fill(SETTINGS)
        with service.connect() as connection:
            connection.set(managed_values())
            connection.call("Snapshots.Create", name="before")
        service.stop()

        def snapshot(connection: Connection) -> None:
            number = self._next()
            connection.set([("managed/n0/value", number)])
            connection.call("Snapshots.Create", name=f"s{number}")

        work: dict[str, tuple[Callable[[Connection], object], int]] = {
            "set": (lambda connection: connection.set([(ONE, self._next())]), 50),
            "set that one file follows": (lambda connection: connection.set([("followed/value", self._next())]), 20),
            "100 settings": (lambda connection: connection.set(hundred(self._next())), 15),
            f"set of one of {MANAGED} managed files, and a snapshot": (snapshot, 10)}
        for name, (one, runs) in work.items():
            # The log is empty after a clean stop: it is not moved to the main file within a row, which writes less than
            # 1,000 pages.
            service.start()
            with service.connect() as connection:
                for _ in range(3):
                    one(connection)
                size, flushes = device.count(lambda: one(connection), runs)
            service.stop()
            self._add(f"{name}: KB to the device", round(size / 1000, 2))
            self._add(f"{name}: flushes", flushes)


def depends_on(row: str) -> tuple[str, ...]:
    """Returns the conditions on which a row may be compared with figures of another machine."""
    if re.search(r"KB to the device|flushes", row):
        return ("kernel",)
    if "opened" in row:
        return ()
    if "page faults" in row:
        return () if row.startswith("service") else ("swift", "libc", "kernel")
    return ("swift", "libc")


def slack(row: str) -> float:
    """Returns the absolute difference below which two figures of a row are the same."""
    if "instructions" in row:
        return 1000
    if row.startswith("service") and "page faults" in row:
        return 0.3
    if row == "service, set over a connection: system calls":
        # The wait for the store's thread takes one call more or less, as the processors are busy or not.
        return 3
    if row.startswith("service") or "flushes" in row:
        return 0.15
    if "KB" in row:
        return 0.5
    return 3 if "page faults" in row else 1

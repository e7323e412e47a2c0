"""Rows of a whole board: bytes and flushes, many files, starts, long lists, long histories, rest, sizes."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Callable

from toolchain.failure import Failure

from . import counts
from .bench import Bench
from .peers import SQLite, peers
from .service import Service, change
from .settings import FOLLOWED, MANAGED, ONE, hundred, managed, managed_values
from .table import OWN
from .workspace import REPOSITORY, note, run

_SIZES = (10, 1_000, 10_000)
_LARGE = 100_000
_GENERATIONS = 100_000
_IDLE_SECONDS = 10
#: A day.
_MINUTES = 1_440
#: Seconds after READY until the service sleeps: it lists devices and links, and releases the pages of its start.
_REST_SECONDS = 3


def device(bench: Bench) -> None:
    """Counts the bytes and flushes that reach a device for a set, with the peers, and for a set that a file follows."""
    if reason := counts.loop_device_lacks():
        bench.table.skip("bytes and flushes", reason)
        return
    for size in _SIZES:
        note(f"bytes and flushes at {size:,} settings")
        place = counts.Device(bench.workspace, f"disk-{size}")
        for series in bench.builds:
            service = bench.service(
                series, "device", directory=place.directory, schemas={"followed": FOLLOWED}).start().fill(size)
            with service.connect() as connection:
                _count_sets(bench, place, series, size, lambda: connection.set([(ONE, bench.next())]))
                if size == 1_000:
                    _count(bench, place, series, "set that one file follows", 50,
                           lambda: connection.set([("followed/value", bench.next())]))
                    _count(bench, place, series, "100 settings", 20, lambda: connection.set(hundred(bench.next())))
                    written, _ = place.count(lambda: connection.set([(ONE, bench.next())]), _MINUTES)
                    bench.table.add("one set a minute: MB to the device a day", series, written * _MINUTES / 1e6)
            service.stop()
        for peer, commands in peers(bench.workspace, place.directory, f"peers{size}", size).items():
            words, variables = commands["set"]
            _count_sets(bench, place, peer, size, lambda: bench.time(1, words, variables))


def _count_sets(bench: Bench, place: counts.Device, series: str, size: int, one: Callable[[], object]) -> None:
    for _ in range(3):
        one()
    written, flushes = place.count(one, 100)
    bench.table.add(f"set: KB to the device, {size:,} settings", series, written / 1000)
    if size == 1_000:
        bench.table.add("set: flushes, 1,000 settings", series, flushes)


def _count(
    bench: Bench, place: counts.Device, series: str, what: str, runs: int, one: Callable[[], object],
) -> None:
    for _ in range(3):
        one()
    written, flushes = place.count(one, runs)
    bench.table.add(f"{what}: KB to the device", series, written / 1000)
    bench.table.add(f"{what}: flushes", series, flushes)


def many_files(bench: Bench) -> None:
    """Measures a board with 500 managed files: a set, a snapshot with one changed, memory, a start."""
    services = bench.services("managed", schemas=managed())
    for service in services.values():
        note("writing 500 managed files")
        service.start()
        with service.connect() as connection:
            connection.set(managed_values())
            connection.call("Snapshots.Create", name="before")
    # A file is read again in a snapshot until it is older than the resolution of its time.
    time.sleep(2.5)
    former = dict.fromkeys(services, "before")
    for turn in bench.turns("500 managed files"):
        for series, service in bench.in_turn(services, turn):
            for number in range(4):
                # Another change comes in between, as on a board.
                with service.connect() as connection:
                    connection.set([(ONE, bench.next())])
                file = f"managed/n{(turn * 4 + number) % MANAGED}/value={{n}}"
                bench.table.add("set one of 500 managed files", series,
                                bench.time(1, service.cleat("set", file), service.environment))
                name = f"s{turn}-{number}"
                bench.table.add("snapshot, 500 managed files, one changed", series,
                                bench.time(1, service.cleat("snapshot", "create", name), service.environment))
                # The next one differs from the one that stays in a single file.
                run(*service.cleat("snapshot", "delete", former[series]), env=service.environment)
                former[series] = name
    for series, service in services.items():
        bench.table.add("private, 500 managed files", series, counts.memory(service.pid)["Pss_Anon"])
        service.stop()
    for turn in bench.turns("start to READY, 500 managed files"):
        for series, service in bench.in_turn(services, turn):
            _ready(bench, "start to READY, 500 managed files", series, service)
    _count_snapshots(bench)


def _ready(bench: Bench, row: str, series: str, service: Service) -> None:
    """Measures starts after a clean end, and one after a change and a kill, which checks the settings first."""
    bench.table.add(row, series, bench.ready(service))
    service.kill(bench.next())
    bench.table.add(f"{row}, after a kill", series, bench.ready(service, 1))


def _count_snapshots(bench: Bench) -> None:
    """Counts the bytes and flushes of snapshots alone: each follows a set of its own, which is not counted."""
    if counts.loop_device_lacks():
        return
    place = counts.Device(bench.workspace, "disk-snapshots")
    for series in bench.builds:
        service = bench.service(series, "snapshots", directory=place.directory, schemas=managed()).start()
        with service.connect() as connection:
            connection.set(managed_values())
            connection.call("Snapshots.Create", name="before")
            for number in range(10):
                connection.set([(f"managed/n{number}/value", bench.next())])
                written, flushes = place.count(lambda: connection.call("Snapshots.Create", name=f"s{number}"), 1)
                bench.table.add("snapshot, 500 managed files: KB to the device", series, written / 1000)
                bench.table.add("snapshot, 500 managed files: flushes", series, flushes)
        service.stop()


def starts(bench: Bench) -> None:
    """Measures the time from the start of the service to READY=1, and its memory at rest, by number of settings."""
    for size in (10, 10_000, _LARGE):
        note(f"loading {size:,} settings")
        with bench.running("start", size) as services:
            pass
        row = f"start to READY, {size:,} settings"
        for turn in bench.turns(row):
            for series, service in bench.in_turn(services, turn):
                _ready(bench, row, series, service)
        for series, service in services.items():
            note(f"at rest with {size:,} settings, {series}")
            service.start()
            time.sleep(_REST_SECONDS)
            memory = counts.memory(service.pid)
            bench.table.add(f"idle, {size:,} settings: private", series, memory["Pss_Anon"])
            if size == 10:
                bench.table.add("idle, 10 settings: PSS", series, memory["Pss"])
                _rest(bench, series, service)
            service.stop()


def _rest(bench: Bench, series: str, service: Service) -> None:
    """Counts what an idle service must not do."""
    bench.table.add("idle: threads", series, len(os.listdir(f"/proc/{service.pid}/task")))
    before = counts.activity(service.pid)
    time.sleep(_IDLE_SECONDS)
    after = counts.activity(service.pid)
    for name, old, new in zip(("context switches", "writes", "CPU"), before, after):
        bench.table.add(f"idle for 10 s: {name}", series, new - old)


def long_lists(bench: Bench) -> None:
    """Measures `list` and `export` of 100,000 settings, time and memory of the client, next to sqlite3."""
    with bench.running("lists", _LARGE) as services:
        sqlite = None
        if shutil.which("sqlite3"):
            sqlite = SQLite(bench.workspace.data, "lists", _LARGE).commands()["list"][0]
        for turn in bench.turns("list and export"):
            for verb in ("list", "export"):
                row = f"{verb} of 100,000 settings"
                for series, service in bench.in_turn(services, turn):
                    took, peak = bench.peak(service.cleat(verb), service.environment)
                    bench.table.add(row, series, took)
                    bench.table.add(f"{row}: peak memory of the client", series, peak)
                if sqlite:
                    bench.table.add(row, "sqlite3", bench.peak(sqlite, os.environ)[0])


def history(bench: Bench) -> None:
    """Measures a start, and `diff` over all of them, with 100,000 generations."""
    row = "diff over 100,000 generations"
    services = bench.services("history", directory=bench.workspace.memory())
    for service in services.values():
        service.start()
        with service.connect() as connection:
            connection.set([("agent/history/generations", 200_000), ("agent/history/bytes", "512MiB")])
            _commit(bench, service, _GENERATIONS)
            last = connection.call("Settings.Get", path=ONE)["generation"]
        service.generation = last
    for turn in bench.turns(row):
        for series, service in bench.in_turn(services, turn):
            for name, count in ((series, _GENERATIONS - 10), ("over 10 generations", 10)):
                if name == series or series == OWN:
                    words = service.cleat("diff", service.generation - count, service.generation)
                    bench.table.add(row, name, bench.time(3, words, service.environment))
    for service in services.values():
        service.stop()
    for turn in bench.turns("start to READY, 100,000 generations"):
        for series, service in bench.in_turn(services, turn):
            _ready(bench, "start to READY, 100,000 generations", series, service)


def _commit(bench: Bench, service: Service, generations: int) -> None:
    """Makes so many generations, by ten writers at once."""
    made = 0
    while made < generations:
        note(f"{made:,} of {generations:,} generations")
        answers = run(bench.probe, "writers", service.socket, 10, 5, change("bench/e{w}/mtu")).split()
        made += sum(map(int, answers))


def sizes(bench: Bench) -> None:
    """Reads the sizes of the stripped programs of each architecture that was built."""
    machine = os.uname().machine
    places = {OWN: {machine: bench.programs}, **{
        series: {machine: programs} for series, programs in bench.builds.items() if series != OWN}}
    other = {"x86_64": "aarch64", "aarch64": "x86_64"}.get(machine, "")
    built = REPOSITORY / ".build-cross/out" / other
    if os.access(built / "cleatd", os.X_OK):
        places[OWN][other] = built
    elif other:
        reason = f"{built.relative_to(REPOSITORY)} has no cleatd; cross/build {other} builds it"
        bench.table.skip(f"sizes for {other}", reason)
    for series, directories in places.items():
        for architecture, directory in directories.items():
            for program in ("cleatd", "cleat"):
                size = (directory / program).stat().st_size
                bench.table.add(f"{program}, {architecture}, stripped", series, size / 1e6)


def facade(bench: Bench) -> None:
    """Measures one open by the file facade, where `BenchFiles` was built."""
    program = REPOSITORY / ".build/release/BenchFiles"
    row = "one facade open, 3 directories deep"
    if not os.access(program, os.X_OK):
        bench.table.skip(row, "BenchFiles is not built: CLEAT_BENCH=1 swift build -c release --product BenchFiles")
        return
    directory = bench.workspace.data / "facade"
    directory.mkdir()
    for _ in bench.turns(row, 3):
        output = run(program, directory, "opens")
        found = re.search(r"depth 3\b.*?^ *facade: ([\d.]+)", output, re.MULTILINE | re.DOTALL)
        if found is None:
            raise Failure(f"{program} prints no line for the facade at depth 3", then="see Benchmarks/Files")
        bench.table.add(row, OWN, float(found[1]))

"""Rows over open connections: gets, their tail next to other work, commits, watchers, processor time."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from collections.abc import Callable

from toolchain.failure import Failure

from . import counts
from .bench import Bench
from .events import burst_of_changes
from .service import Service, change, message
from .settings import ONE, hundred, many
from .table import FLOOR
from .workspace import REPOSITORY, note, run

_GET = message("Settings.Get", path=ONE)
_SIZES = (10, 1_000, 10_000, 100_000)
#: Seconds of gets for one value of the 99.9th percentile: about a hundred samples are above it.
_TAIL_SECONDS = 4
#: The release build of this machine, with its own C library.
_ORDINARY = REPOSITORY / ".build/release"


def calls(bench: Bench) -> None:
    """Measures a get over an open connection at each number of settings, next to a program that echoes."""
    echo = bench.workspace.short / "echo"
    server = bench.workspace.start([bench.probe, "echo", echo])
    rows = {size: f"get over a connection, {size:,} settings" for size in _SIZES}
    with contextlib.ExitStack() as stack:
        running = {}
        for size in _SIZES:
            note(f"loading {size:,} settings")
            running[size] = stack.enter_context(bench.running("calls", size))
        for turn in bench.turns("get over a connection", 2 * bench.rounds):
            for size, services in running.items():
                for series, service in bench.in_turn(services, turn):
                    bench.table.add(rows[size], series, [one * 1e3 for one in bench.calls(service, 500, _GET)])
                # The floor does not depend on the number of settings: all rows have all of its samples.
                samples = [one * 1e3 for one in bench.sample("call", echo, 500, 0, _GET)]
                for row in rows.values():
                    bench.table.add(row, FLOOR, samples)
    bench.workspace.stop(server)


def tail(bench: Bench) -> None:
    """Measures the 99.9th percentile of gets while another client works, at 100,000 settings."""
    with bench.running("tail", 100_000) as services:
        for series, service in services.items():
            number = iter(range(1_000_000))
            work: dict[str, Callable[[], object]] = {
                "while another sets": lambda: _client(service, "set", f"{ONE}={1000 + next(number) % 9000}"),
                "while another lists": lambda: _client(service, "list"),
                "while another exports": lambda: _client(service, "export"),
                "while another snapshots": lambda: _snapshot(service, f"s{next(number)}"),
                "while another sets 2,000 settings": lambda: _set(service, many(2_000, next(number))),
                "while another restores": lambda: _restore(service, next(number)),
                "during a burst of events": lambda: burst_of_changes(100)}
            for name, one in work.items():
                row = f"get p99.9 {name}"
                for _ in bench.turns(f"{row}, {series}", 3):
                    bench.table.add(row, series, _tail(bench, service, one))


def _client(service: Service, *words: str) -> None:
    counts.spawn(service.cleat(*words), service.environment)


def _snapshot(service: Service, name: str) -> None:
    _client(service, "snapshot", "create", name)
    _client(service, "snapshot", "delete", name)


def _set(service: Service, values: list[tuple[str, int]]) -> None:
    with service.connect() as connection:
        connection.set(values)


def _restore(service: Service, number: int) -> None:
    """Restores a snapshot of all settings, from which 2,000 differ."""
    with service.connect() as connection:
        connection.call("Snapshots.Create", name=f"r{number}")
        connection.set(many(2_000, number))
        connection.call("Snapshots.Restore", name=f"r{number}")
        connection.call("Snapshots.Delete", name=f"r{number}")


def _tail(bench: Bench, service: Service, work: Callable[[], object]) -> float:
    """Returns the 99.9th percentile of gets, in ms, while `work` runs again and again."""
    ended = threading.Event()
    failures: list[Exception] = []

    def repeat() -> None:
        try:
            while not ended.is_set():
                work()
        except (Failure, OSError) as failure:
            failures.append(failure)

    other = threading.Thread(target=repeat)
    other.start()
    try:
        time.sleep(0.1)
        samples: list[float] = []
        end = time.monotonic() + _TAIL_SECONDS
        while time.monotonic() < end:
            samples += bench.calls(service, 4000, _GET)
    finally:
        ended.set()
        other.join()
    if failures:
        # Without the other client's work the row would be a better one than it is.
        raise failures[0]
    return sorted(samples)[int(len(samples) * 0.999)]


def commits(bench: Bench) -> None:
    """Measures durable commits a second of one writer and of ten, and the fairness among ten."""
    seconds = 3
    with bench.running("commits", 1_000) as services:
        for turn in bench.turns("commits a second", min(bench.rounds, 4)):
            for series, service in bench.in_turn(services, turn):
                for writers in (1, 10):
                    made = answers(bench, service, writers, seconds)
                    row = f"commits a second, {writers} writer{'s' if writers > 1 else ''}"
                    bench.table.add(row, series, sum(made) / seconds)
                spread = max(made) / max(min(made), 1)
                bench.table.add("most against fewest commits of 10 writers", series, spread)


def answers(bench: Bench, service: Service, writers: int, seconds: int) -> list[int]:
    """Has so many writers set for some seconds, each without a pause; returns the number of answers of each."""
    text = change("bench/e{w}/mtu")
    return [int(line) for line in run(bench.probe, "writers", service.socket, writers, seconds, text).split()]


def watchers(bench: Bench) -> None:
    """Measures the time from the answer to a set to the last of sixty watchers that has received it."""
    row = "change to the last of 60 watchers after the answer"
    watch = '{"method":"dev.cleat.Settings.Watch","parameters":{"prefixes":["bench/e0"]},"more":true}'
    with bench.running("watchers", 1_000) as services:
        for turn in bench.turns(row):
            for series, service in bench.in_turn(services, turn):
                bench.table.add(row, series, bench.sample(
                    "watch", service.socket, 60, 30, bench.next(30), change(ONE), watch))


def processor(bench: Bench) -> None:
    """Measures the processor time of the service for a get, a set, and a setting of a batch."""
    with bench.running("processor", 1_000) as services:
        for turn in bench.turns("processor time", 2 * bench.rounds):
            for series, service in bench.in_turn(services, turn):
                for name, cost in _costs(bench, service).items():
                    bench.table.add(f"CPU of the service, {name}", series, cost)
                    if name in ("a get", "a set"):
                        bench.table.add(f"CPU of {name} over a connection", series, cost)
    _ordinary(bench)


def _ordinary(bench: Bench) -> None:
    """Measures the ordinary build, where there is one, next to the static programs."""
    if not os.access(_ORDINARY / "cleatd", os.X_OK):
        reason = f"{_ORDINARY.relative_to(REPOSITORY)} has no cleatd; make build builds it"
        bench.table.skip("static against ordinary build", reason)
        return
    service = Service(bench.workspace, _ORDINARY, "ordinary").start().fill(1_000)
    for _ in bench.turns("processor time of the ordinary build", 2 * bench.rounds):
        for name, cost in _costs(bench, service).items():
            if name in ("a get", "a set"):
                bench.table.add(f"CPU of {name} over a connection", "ordinary build", cost)
    service.stop()


def _costs(bench: Bench, service: Service) -> dict[str, float]:
    """Returns the processor time of the service in µs."""
    def spent(work: Callable[[], object], number: int) -> float:
        before = counts.cpu_seconds(service.pid)
        work()
        return (counts.cpu_seconds(service.pid) - before) / number * 1e6

    with service.connect() as connection:
        batches = [hundred(bench.next()) for _ in range(20)]
        return {
            "a get": spent(lambda: bench.calls(service, 1990, _GET), 2000),
            "a set": spent(lambda: bench.calls(service, 190, change(ONE)), 200),
            "a setting of a batch": spent(lambda: [connection.set(batch) for batch in batches], 2000)}

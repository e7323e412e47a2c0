"""Rows of growth: the cost of a change by what is configured, kept, watched or written at the same time."""

from __future__ import annotations

from collections.abc import Mapping

from .bench import Bench
from .rows_connection import answers
from .service import Service, change
from .settings import MANAGED, ONE, managed, managed_values
from .table import OWN
from .workspace import note

_GENERATIONS = 20_000
_WATCH = '{"method":"dev.cleat.Settings.Watch","parameters":{"prefixes":["bench/e0"]},"more":true}'


def growth(bench: Bench) -> None:
    """Measures each change at several sizes; the value of a row is that of the largest, next to the others."""
    _by_settings(bench)
    _by_generations(bench)
    _by_files(bench)
    _by_clients(bench)


def _sets(bench: Bench, row: str, services: Mapping[str, Service], path: str) -> None:
    """Measures sets over a connection to each service; the last one is the value of the row."""
    for turn in bench.turns(row):
        for place, service in bench.in_turn(services, turn):
            series = OWN if service is list(services.values())[-1] else place
            bench.table.add(row, series, bench.calls(service, 20, change(path)))


def _by_settings(bench: Bench) -> None:
    services = {f"at {size:,}": bench.service(OWN, "grown").start() for size in (10, 1_000, 10_000, 100_000)}
    for size, service in zip((10, 1_000, 10_000, 100_000), services.values(), strict=True):
        note(f"loading {size:,} settings")
        service.fill(size)
    _sets(bench, "growth: set over a connection, 100,000 settings", services, ONE)
    for service in services.values():
        service.stop()


def _by_generations(bench: Bench) -> None:
    directory = bench.workspace.memory()
    services = {f"at {count:,}": bench.service(OWN, "old", directory=directory).start() for count in (10, _GENERATIONS)}
    old = list(services.values())[-1]
    with old.connect() as connection:
        connection.set([("agent/history/generations", 2 * _GENERATIONS), ("agent/history/bytes", "512MiB")])
    made = 0
    while made < _GENERATIONS:
        note(f"{made:,} of {_GENERATIONS:,} generations")
        made += sum(answers(bench, old, 10, 2))
    _sets(bench, f"growth: set over a connection, {_GENERATIONS:,} generations", services, ONE)
    for service in services.values():
        service.stop()


def _by_files(bench: Bench) -> None:
    services = {}
    for files in (25, 100, MANAGED):
        note(f"writing {files} managed files")
        service = services[f"at {files}"] = bench.service(OWN, "ruled", schemas=managed(files)).start()
        with service.connect() as connection:
            connection.set(managed_values(files=files))
    _sets(bench, f"growth: set one of {MANAGED} managed files over a connection", services, "managed/n0/value")
    for service in services.values():
        service.stop()


def _by_clients(bench: Bench) -> None:
    """Measures the last of several watchers, and the commits a second of several writers."""
    row, commits, seconds = "growth: change to the last of 60 watchers", "growth: commits a second, 10 writers", 2
    service = bench.service(OWN, "shared").start().fill(1_000)
    for _ in bench.turns(row):
        for count in (1, 10, 60):
            bench.table.add(row, OWN if count == 60 else f"of {count}", bench.sample(
                "watch", service.socket, count, 30, bench.next(30), change(ONE), _WATCH))
    for _ in bench.turns(commits, min(bench.rounds, 4)):
        for count in (1, 2, 5, 10):
            bench.table.add(
                commits, OWN if count == 10 else f"of {count}", sum(answers(bench, service, count, seconds)) / seconds)
    service.stop()

"""Rows of whole processes: get, the start of other verbs, set, a hundred settings, files."""

from __future__ import annotations

import os
import time
from pathlib import Path

from . import counts
from .bench import Bench
from .peers import Command, peers
from .service import Service, change, message
from .settings import FOLLOWED, ONE
from .table import FLOOR, OWN
from .workspace import note

_GET = message("Settings.Get", path=ONE)
_SIZES = (10, 1_000, 10_000, 100_000)
#: dconf takes minutes to load the largest number.
_PEER_SIZES = (10, 1_000, 10_000)
_MEGABYTES = 100


def _floor(bench: Bench, service: Service) -> list[str]:
    return [str(bench.probe), "get", str(service.socket), _GET]


def get(bench: Bench) -> None:
    """Measures a whole `cleat get`, with the floor and the peers, at each number of settings."""
    for size in _SIZES:
        row = f"get, whole process, {size:,} settings"
        note(f"loading {size:,} settings")
        with bench.running("get", size) as services:
            others = peers(bench.workspace, bench.workspace.data, f"get{size}", size) if size in _PEER_SIZES else {}
            for turn in bench.turns(row):
                for series, service in bench.in_turn(services, turn):
                    bench.table.add(row, series, bench.time(20, service.cleat("get", ONE), service.environment))
                bench.table.add(row, FLOOR, bench.time(20, _floor(bench, services[OWN])))
                for peer, commands in others.items():
                    words, variables = commands["get"]
                    bench.table.add(row, peer, bench.time(10, words, variables))
            if size == 1_000:
                for series, service in services.items():
                    _count_get(bench, series, service.cleat("get", ONE), service)
                _count_get(bench, FLOOR, _floor(bench, services[OWN]), services[OWN])


def _count_get(bench: Bench, series: str, words: list[str], service: Service) -> None:
    """Counts what `Benchmarks/exact` compares, of a get."""
    variables = {"CLEAT_SOCKET": str(service.socket), "PATH": "/usr/bin:/bin"}
    bench.table.add("get: page faults", series, min(counts.spawn(words, variables).faults for _ in range(5)))
    for row, program, work in (("get: system calls", "strace", counts.system_calls),
                               ("get: instructions", "valgrind", counts.instructions)):
        if reason := counts.lacking(program, program):
            bench.table.skip(row, reason)
            continue
        value = work(bench.workspace, words, variables)
        bench.table.add(row, series, value / 1e6 if "instructions" in row else value)


def verbs(bench: Bench) -> None:
    """Measures whole processes of other verbs next to a get."""
    commands = {
        "status": ("status",), "why": ("why", ONE), "log": ("log",), "plan": ("plan", f"{ONE}=1500"),
        "export": ("export", "network"), "hook list": ("hook", "list"), "file ls": ("file", "ls", "documents"),
        "devices": ("devices", "--subsystem", "block"), "get with options": ("get", "--output", "json", "--reveal", ONE)}
    # One short generation: the log prints all of them.
    with bench.running("verbs", 4) as services:
        for turn in bench.turns("start of verbs"):
            gets = bench.time(20, services[OWN].cleat("get", ONE), services[OWN].environment)
            for verb, words in commands.items():
                bench.table.add(f"start of {verb}", "get", gets)
                for series, service in bench.in_turn(services, turn):
                    bench.table.add(
                        f"start of {verb}", series, bench.time(10, service.cleat(*words), service.environment))


def set_one(bench: Bench) -> None:
    """Measures a whole `cleat set`, and a set over a connection, with the floor and the peers."""
    plain = _plain_file(bench)
    for size in _PEER_SIZES:
        row = f"set, whole process, {size:,} settings"
        note(f"loading {size:,} settings")
        with bench.running("set", size, schemas={"followed": FOLLOWED}) as services:
            others = peers(bench.workspace, bench.workspace.data, f"set{size}", size)
            floor: Command = ([str(bench.probe), "write", str(plain), "1"], None)
            for turn in bench.turns(row):
                for series, service in bench.in_turn(services, turn):
                    bench.table.add(
                        row, series, bench.time(10, service.cleat("set", f"{ONE}={{n}}"), service.environment))
                for peer, commands in {**others, FLOOR: {"set": floor}}.items():
                    words, variables = commands["set"]
                    bench.table.add(row, peer, bench.time(5, words, variables))
            if size == 1_000:
                _set_over_connection(bench, services, plain)


def _plain_file(bench: Bench) -> Path:
    """Makes a file of one block on the measured disk."""
    plain = bench.workspace.data / "plain"
    with plain.open("wb") as file:
        file.write(bytes(4096))
        file.flush()
        os.fsync(file.fileno())
    return plain


def _set_over_connection(bench: Bench, services: dict[str, Service], plain: Path) -> None:
    row = "set over a connection"
    for turn in bench.turns(row):
        for series, service in bench.in_turn(services, turn):
            bench.table.add(row, series, bench.calls(service, 50, change(ONE)))
            bench.table.add("set that one file follows, over a connection", series,
                            bench.calls(service, 20, change("followed/value")))
        bench.table.add(row, FLOOR, bench.sample("write", plain, 50))


def hundred(bench: Bench) -> None:
    """Measures a whole process that changes a hundred settings, next to sqlite3 and dconf."""
    row = "100 settings, whole process"
    words = [f"bench/e{index}/mtu={{n}}" for index in range(100)]
    plain = _plain_file(bench)
    with bench.running("hundred", 1_000) as services:
        others = {peer: commands["hundred"] for peer, commands in
                  peers(bench.workspace, bench.workspace.data, "hundred", 1_000).items() if "hundred" in commands}
        others[FLOOR] = ([str(bench.probe), "write", str(plain), "1"], None)
        for turn in bench.turns(row):
            for series, service in bench.in_turn(services, turn):
                bench.table.add(row, series, bench.time(5, service.cleat("set", *words), service.environment))
            for peer, (command, variables) in others.items():
                bench.table.add(row, peer, bench.time(5, command, variables))


def files(bench: Bench) -> None:
    """Measures a file of 100 MB to the service and back, next to dd."""
    source, copy = (bench.workspace.data / name for name in ("file", "copy"))
    with source.open("wb") as file:
        for _ in range(_MEGABYTES):
            file.write(os.urandom(1_000_000))

    def timed(command: list[str], service: Service) -> float:
        copy.unlink(missing_ok=True)
        start = time.perf_counter()
        counts.spawn(command, service.environment)
        return (time.perf_counter() - start) * 1e3

    with bench.running("files") as services:
        for turn in bench.turns("100 MB both ways", min(bench.rounds, 3)):
            dd = ["dd", f"if={source}", f"of={copy}", "bs=1M", "conv=fsync", "status=none"]
            for series, service in bench.in_turn(services, turn):
                put = service.cleat("file", "put", source, "library/file")
                bench.table.add("put of 100 MB, whole process", series, timed(put, service))
                fetch = service.cleat("file", "get", "library/file", copy)
                bench.table.add("get of 100 MB, whole process", series, timed(fetch, service))
            for verb in ("put", "get"):
                bench.table.add(f"{verb} of 100 MB, whole process", "dd", timed(dd, services[OWN]))
    source.unlink()
    copy.unlink(missing_ok=True)

"""One run of `Benchmarks/run`: its programs, tools and table, which the groups of rows use."""

from __future__ import annotations

import contextlib
import os
import platform
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .service import Service
from .table import OWN, Table
from .workspace import Workspace, note, run


class Bench:
    """The builds that are measured, in alternation, and the samples."""

    def __init__(self, workspace: Workspace, builds: Mapping[str, Path], rounds: int) -> None:
        """Takes the directory of each build; compiles the tools."""
        self.workspace, self.builds, self.rounds = workspace, dict(builds), rounds
        self.table = Table()
        tools = workspace.build_tools()
        self.probe, self.hook = tools / "probe", tools / "hook"
        self._number = 0
        self._services = 0

    @property
    def programs(self) -> Path:
        """The directory of the measured programs."""
        return self.builds[OWN]

    def service(self, series: str, name: str, **options: object) -> Service:
        """Makes a service of a build; its directory has a number, so that a name can be used again."""
        self._services += 1
        programs = self.builds[series]
        return Service(self.workspace, programs, f"{name}{self._services}", **options)  # type: ignore[arg-type]

    def services(self, name: str, **options: object) -> dict[str, Service]:
        """Makes a service of each build."""
        return {series: self.service(series, name, **options) for series in self.builds}

    @contextlib.contextmanager
    def running(self, name: str, settings: int = 0, **options: object) -> Iterator[dict[str, Service]]:
        """Makes and starts a service of each build, with so many settings; ends them."""
        services = self.services(name, **options)
        try:
            for service in services.values():
                service.start()
                if settings:
                    service.fill(settings)
            yield services
        finally:
            for service in services.values():
                service.stop()

    def next(self, count: int = 1) -> int:
        """Returns a number from 1,000 to 60,999, and takes the ones after it for `count` runs."""
        first = 1000 + self._number % 60000
        self._number = (self._number + count) % 59000
        return first

    def sample(self, *words: object, variables: Mapping[str, str] | None = None) -> list[float]:
        """Runs the probe; returns its samples in ms."""
        return [int(line) / 1e6 for line in run(self.probe, *words, env=variables).split()]

    def time(self, count: int, command: Sequence[object], variables: Mapping[str, str] | None = None) -> list[float]:
        """Takes samples of a whole process, in ms; `{n}` in its words differs each time."""
        return self.sample("time", count, self.next(count), *command, variables=variables)

    def peak(self, command: Sequence[object], variables: Mapping[str, str]) -> tuple[float, float]:
        """Returns the time of one process in ms and its peak resident memory in MB; its output goes to a file."""
        output = self.workspace.data / "output"
        took, size = run(self.probe, "peak", output, *command, env=variables).split()
        return int(took) / 1e6, int(size) / 1e6

    def calls(self, service: Service, count: int, text: str) -> list[float]:
        """Takes samples of a call over an open connection, in ms; `{n}` in it differs each time."""
        return self.sample("call", service.socket, count, self.next(count + 10), text)

    def ready(self, service: Service, count: int = 2) -> list[float]:
        """Takes samples of the time from the start of a stopped service to READY=1, in ms."""
        return self.sample("ready", self.workspace.short / "ready", count, *service.command)

    def turns(self, what: str, rounds: int | None = None) -> Iterator[int]:
        """Yields the number of each round, and prints the progress."""
        rounds = rounds or self.rounds
        for turn in range(rounds):
            note(f"{what}: round {turn + 1} of {rounds}")
            yield turn

    def in_turn(self, services: Mapping[str, Service], turn: int) -> list[tuple[str, Service]]:
        """Returns the builds in an order that changes with each round."""
        found = list(services.items())
        return found if turn % 2 == 0 else found[::-1]


def machine() -> str:
    """Returns the machine in words: architecture, processors, kernel, distribution."""
    system = ""
    with contextlib.suppress(OSError):
        system = platform.freedesktop_os_release().get("PRETTY_NAME", "")
    kernel = ".".join(platform.release().split("-")[0].split(".")[:2])
    return f"{platform.machine()}, {os.cpu_count()} CPUs, kernel {kernel}, {system}"

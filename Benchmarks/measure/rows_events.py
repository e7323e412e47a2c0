"""Rows of kernel events: the time to the hook, bursts, many subjects."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

from toolchain.failure import Failure

from . import counts
from .bench import Bench
from .events import (
    APART, SUBJECTS_OF_LINK, HookRuns, add_links, devpath, start_mdev, start_udevd, uevent_file)
from .service import Service
from .table import FLOOR
from .workspace import is_apart, note

_BURST = 5_000
_BURST_NAME = f"{_BURST:,} events in a burst"
_SUBJECTS = 20_001
#: Seconds after a burst at which the memory of the service is read.
_LATER = 12


def _lacks() -> str | None:
    """Returns the reason why this machine cannot make kernel events, or None."""
    if not is_apart():
        return "kernel events take root, and namespaces of this run"
    if not os.access(uevent_file("cleat"), os.W_OK):
        return f"{uevent_file('cleat')} cannot be written"
    return counts.lacking("ip", "iproute2") or counts.lacking("nsenter", "util-linux")


def hook(bench: Bench) -> None:
    """Measures the time from a kernel event to the first instruction of a hook, next to the floor, mdev and udevd."""
    row = "kernel uevent to the hook's first instruction"
    if reason := _lacks():
        bench.table.skip(row, reason)
        return
    daemons, fifos = _daemons(bench)
    for process in daemons.values():
        counts.settle(process.pid)
    for turn in bench.turns(row):
        order = list(daemons.items())
        for series, process in order if turn % 2 == 0 else order[::-1]:
            # The others are stopped: they would use the processor for the event of this one.
            for other in daemons.values():
                other.send_signal(signal.SIGCONT if other is process else signal.SIGSTOP)
            counts.settle(process.pid)
            try:
                # mdev runs nothing for other actions.
                samples = bench.sample("uevent", uevent_file(series), "add", fifos[series], 20, 60)
            except Failure as failure:
                bench.table.skip(f"{row}: {series}", str(failure))
                daemons.pop(series).send_signal(signal.SIGCONT)
                continue
            bench.table.add(row, series, samples)
    for process in daemons.values():
        process.send_signal(signal.SIGCONT)
        bench.workspace.stop(process)


def _daemons(bench: Bench) -> tuple[dict[str, subprocess.Popen[Any]], dict[str, Path]]:
    """Starts every program that runs the hook; returns them, and the FIFO of each."""
    daemons: dict[str, subprocess.Popen[Any]] = {}
    fifos = {series: bench.workspace.short / f"{series}.hook" for series in (*bench.builds, FLOOR, "mdev", "udevd")}
    for fifo in fifos.values():
        os.mkfifo(fifo)
    for series in bench.builds:
        hook = {"match": {"source": "device", "subject": devpath(series)},
                "run": [str(bench.hook), str(fifos[series])]}
        process = bench.service(series, "hook", hooks={"bench": hook}).start().process
        assert process is not None
        daemons[series] = process
    daemons[FLOOR] = bench.workspace.start([bench.probe, "listen", devpath(FLOOR), bench.hook, fifos[FLOOR]])
    for peer, start in (("mdev", start_mdev), ("udevd", start_udevd)):
        started = start(bench, fifos[peer])
        if isinstance(started, str):
            bench.table.skip(peer, started)
        else:
            daemons[peer] = started
    return daemons, fifos


class _Peak:
    """The largest private memory of a process while it runs."""

    def __init__(self, pid: int) -> None:
        self._pid, self._ended, self.value = pid, threading.Event(), 0.0
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.wait(0.05):
            with contextlib.suppress(FileNotFoundError):
                self.value = max(self.value, counts.memory(self._pid)["Pss_Anon"])

    def end(self) -> float:
        """Returns the peak in MB."""
        self._ended.set()
        self._thread.join()
        return self.value


def _links_service(bench: Bench, series: str, runs: HookRuns, properties: dict[str, str]) -> Service:
    """Starts a service whose hook runs for new links."""
    match: dict[str, object] = {"source": "device", "action": "add", "subject": "/devices/virtual/net/*"}
    if properties:
        match["properties"] = properties
    return bench.service(series, "burst", hooks={
        "bench": {"match": match, "run": [str(bench.hook), str(runs.fifo)]}}).start(APART)


def _links_lack() -> str | None:
    """Returns the reason why this machine cannot make links, or None."""
    return _lacks() or (None if os.access("/dev/net/tun", os.W_OK) else "/dev/net/tun cannot be opened: modprobe tun")


def burst(bench: Bench) -> None:
    """Measures 5,000 new links in a burst: lost hooks, hooks a second, memory at its peak and 12 s later."""
    if reason := _links_lack():
        bench.table.skip("bursts of events", reason)
        return
    for turn in range(2):
        for series in bench.builds:
            _burst(bench, series, turn)
        with HookRuns(bench.workspace, f"burst{turn}-floor") as runs:
            # The floor starts the hook and waits for it, again and again.
            samples = bench.time(300, [bench.hook, runs.fifo])
        bench.table.add(f"{_BURST_NAME}: hooks a second", FLOOR, [1e3 / one for one in samples])


def _burst(bench: Bench, series: str, turn: int) -> None:
    note(f"{_BURST_NAME}, {series}")
    with HookRuns(bench.workspace, f"burst{turn}-{series}") as runs:
        service = _links_service(bench, series, runs, {"SUBSYSTEM": "net"})
        time.sleep(1)
        peak, before, start = _Peak(service.pid), counts.cpu_seconds(service.pid), time.monotonic()
        add_links(service.pid, (f"b{number}" for number in range(_BURST)))
        runs.wait(_BURST)
        memory = peak.end()
        bench.table.add(f"{_BURST_NAME}: lost", series, max(0, _BURST - runs.count))
        bench.table.add(f"{_BURST_NAME}: hooks a second", series, runs.count / max(runs.last - start, 0.001))
        bench.table.add(f"{_BURST_NAME}: peak private", series, memory)
        cost = (counts.cpu_seconds(service.pid) - before) / max(runs.count, 1)
        bench.table.add("CPU of the service, a hook", series, cost * 1e6)
        note(f"{_LATER} s after the burst, {series}")
        time.sleep(max(0.0, runs.last + _LATER - time.monotonic()))
        bench.table.add("private 12 s after 5,000 events", series, counts.memory(service.pid)["Pss_Anon"])
        service.stop()


def subjects(bench: Bench) -> None:
    """Measures the subjects of a burst of 20,000 that no hook has run for."""
    row = "20,000 subjects in a burst: never delivered"
    if reason := _links_lack():
        bench.table.skip(row, reason)
        return
    for series in bench.builds:
        note(f"{row}, {series}")
        with HookRuns(bench.workspace, f"subjects-{series}") as runs:
            service = _links_service(bench, series, runs, {})
            time.sleep(1)
            add_links(service.pid, (f"s{number}" for number in range(_SUBJECTS // SUBJECTS_OF_LINK)))
            runs.wait(_SUBJECTS)
            bench.table.add(row, series, max(0, _SUBJECTS - runs.count))
            service.stop()


"""Kernel events that a run makes, and the daemons that run a hook for them."""

from __future__ import annotations

import os
import subprocess
import threading
import time
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

from .bench import Bench
from .workspace import Workspace, run

#: Character devices in memory: a `uevent` file of each makes events that change nothing.
DEVICES = {"cleat": "null", "former": "urandom", "floor": "random", "mdev": "zero", "udevd": "full"}
#: uevents of a new link: its own, a receive queue's, a transmit queue's.
SUBJECTS_OF_LINK = 3
#: The words that start a program in a network namespace of its own, whose devices its /sys shows.
APART = ("unshare", "--net", "--mount", "sh", "-c", 'mount -t sysfs sysfs /sys && exec "$0" "$@"')


def devpath(series: str) -> str:
    """Returns the device of a series, below /sys."""
    return f"/devices/virtual/mem/{DEVICES[series]}"


def uevent_file(series: str) -> Path:
    """Returns the file that makes an event of the device of a series."""
    return Path(f"/sys{devpath(series)}/uevent")


def burst_of_changes(count: int) -> None:
    """Makes so many events of one device, as fast as the kernel takes them."""
    with uevent_file("cleat").open("wb", buffering=0) as file:
        for _ in range(count):
            file.write(b"change")
    time.sleep(0.05)


def add_links(pid: int, names: Iterable[str]) -> None:
    """Adds links to the network namespace of a process: TAP devices, which end with the namespace within a second."""
    run("nsenter", "--net", "--target", pid, "ip", "-batch", "-",
        input="".join(f"tuntap add {name} mode tap\n" for name in names))


class HookRuns:
    """Counts the runs of the hook, which writes its start time to a FIFO."""

    def __init__(self, workspace: Workspace, name: str) -> None:
        """Makes the FIFO."""
        self.fifo = workspace.short / f"{name}.fifo"
        os.mkfifo(self.fifo)
        self.count = 0
        #: The time of the last run, as `time.monotonic` counts.
        self.last = 0.0
        self._file = os.open(self.fifo, os.O_RDWR | os.O_CLOEXEC)
        self._ended = False
        self._thread = threading.Thread(target=self._read, daemon=True)

    def __enter__(self) -> HookRuns:
        self._thread.start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._ended = True
        # A record of its own ends the read.
        os.write(self._file, bytes(8))
        self._thread.join()
        os.close(self._file)

    def _read(self) -> None:
        while not self._ended:
            data = os.read(self._file, 1 << 16)
            self.count += len(data) // 8
            self.last = time.monotonic()

    def wait(self, expected: int, quiet: float = 10, limit: float = 600) -> None:
        """Waits for so many runs, or until there was none for `quiet` seconds."""
        start = time.monotonic()
        while self.count < expected and time.monotonic() - start < limit:
            if time.monotonic() - max(self.last, start) > quiet:
                return
            time.sleep(0.02)


def namespaced(workspace: Workspace, script: str) -> subprocess.Popen[Any]:
    """Starts a shell script in mount and network namespaces with a /dev, /etc and /run of its own."""
    own = ("set -e; mount -t tmpfs -o mode=755 tmpfs /dev; mknod -m 666 /dev/null c 1 3; mkdir /dev/pts; "
           "mount -t tmpfs tmpfs /run; mount -t tmpfs tmpfs /etc; ")
    return workspace.start(["unshare", "--mount", "--propagation", "private", "--net", "sh", "-c", own + script],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def start_mdev(bench: Bench, fifo: Path) -> subprocess.Popen[Any] | str:
    """Starts mdev of BusyBox with one rule; returns the reason where there is none."""
    try:
        if "mdev" not in run("busybox", "--list").split():
            return "busybox has no mdev here"
    except OSError:
        return "busybox is not installed: apt-get install busybox"
    return namespaced(bench.workspace, f"echo '{DEVICES['mdev']} 0:0 666 @{bench.hook} {fifo}' > /etc/mdev.conf; "
                                       "exec busybox mdev -df")


def start_udevd(bench: Bench, fifo: Path) -> subprocess.Popen[Any] | str:
    """Starts systemd-udevd with one rule; returns the reason where there is none."""
    program = next((path for path in ("/lib/systemd/systemd-udevd", "/usr/lib/systemd/systemd-udevd")
                    if os.access(path, os.X_OK)), None)
    if program is None:
        return "systemd-udevd is not installed: apt-get install udev"
    rule = f'KERNEL=="{DEVICES["udevd"]}", RUN+="{bench.hook} {fifo}"'
    return namespaced(
        bench.workspace, "mkdir -p /run/udev /etc/udev/rules.d; mount -t tmpfs tmpfs /lib/udev/rules.d; "
        f"echo '{rule}' > /etc/udev/rules.d/1.rules; touch /etc/passwd /etc/group; exec {program}")

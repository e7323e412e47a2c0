"""The interface that system tests are written against, whatever they run on."""

from __future__ import annotations

import abc
import gzip
import os
import shlex
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from target.errors import MissingCapability, TargetTimeout
from target.process import Completed, Process

Value = TypeVar("Value")

#: Every word that `Target.capabilities` may hold, and what it says.
CAPABILITIES: dict[str, str] = {
    "root": "commands run as root",
    "plug": "real devices can be plugged in and pulled out (see `Target.kinds`)",
    "link": "a network device can be plugged in whose carrier goes off and on (`plug`, `link`)",
    "reboot": "the target can be restarted in order (`reboot`)",
    "cut": "the power can be cut (`cut`)",
    "udev": "a udevd runs",
    "rename": "udev gives plugged-in network devices another name than the kernel's",
    "systemd": "systemd is the init system",
    "busybox-init": "BusyBox is the init system",
    "deploy": "the system is a throw-away one, so units and files may be installed outside of `directory`",
    "disk": "`disk` lies on a file system that outlives a reboot and a power cut",
    "mount": "file systems may be mounted for a test",
    "wifi": "there are simulated radios, hostapd, wpa_supplicant and NetworkManager, none of which is started",
}


class Target(abc.ABC):
    """A machine that commands run on. It is a context manager; closing it ends all that was started there.

    A command is a list of words, or a string for `/bin/sh` (the target's: BusyBox's as a rule, so no bashisms). Time
    limits are in seconds at this machine's speed: the target stretches them by its `slowness`, so that a test says how
    long something takes and not where.
    """

    #: The name of the target in messages: "vboard (bare)", "ssh://root@board:22", "local".
    name: str
    #: Its capabilities: words of `CAPABILITIES`.
    capabilities: frozenset[str] = frozenset()
    #: The kinds of device that `plug` takes: usb-storage, usb-serial, usb-net, usb-kbd, virtio-net, veth.
    kinds: frozenset[str] = frozenset()
    #: The factor by which time limits are longer than on this machine.
    slowness: float = 1
    #: "aarch64", "x86_64", …: as `uname -m` says it.
    architecture: str
    #: An absolute path on the target: empty at the start, removed at the close.
    directory: str
    #: An absolute path that outlives `reboot` and `cut`, where the target has "disk".
    disk: str | None = None

    # Every target

    @abc.abstractmethod
    def run(
        self, command: str | Sequence[str], *, input: bytes = b"", timeout: float = 30,
        environment: Mapping[str, str] | None = None,
    ) -> Completed:
        """Runs a command to its end.

        Raises `TargetTimeout` (and kills the command) when it takes too long, `TargetGone` when the target does not
        answer. `environment` comes on top of the target's own.
        """

    @abc.abstractmethod
    def spawn(
        self, command: str | Sequence[str], *, environment: Mapping[str, str] | None = None, input: bool = False,
    ) -> Process:
        """Starts a command and returns while it runs; `input` keeps its standard input open for `Process.write`."""

    @abc.abstractmethod
    def put(self, source: str | os.PathLike[str] | bytes, path: str, *, mode: int = 0o644) -> None:
        """Copies a file of this machine (or bytes) to the target."""

    @abc.abstractmethod
    def get(self, path: str) -> bytes:
        """Returns what a file on the target holds."""

    @abc.abstractmethod
    def close(self) -> None:
        """Ends all processes that were started, removes `directory`, releases the target. May be called again."""

    @abc.abstractmethod
    def is_alive(self) -> bool:
        """Asks whether the target answers, within a short time limit."""

    # Targets with the capability

    def plug(self, kind: str, name: str) -> None:
        """Plugs in a device; returns when the machine has the request, not when the kernel has detected the device."""
        raise MissingCapability(f"{self.name} cannot plug in a {kind}")

    def unplug(self, name: str) -> None:
        """Pulls out what `plug` has plugged in under that name."""
        raise MissingCapability(f"{self.name} cannot unplug {name}")

    def link(self, name: str, up: bool) -> None:
        """Takes a network device's carrier away, or gives it back."""
        raise MissingCapability(f"{self.name} cannot switch the link of {name}")

    def reboot(self) -> None:
        """Restarts in order; returns when commands can be run again. `directory` may be gone, `disk` is not."""
        raise MissingCapability(f"{self.name} cannot be rebooted")

    def cut(self) -> None:
        """Cuts the power; the target does not answer until `reboot`."""
        raise MissingCapability(f"the power of {self.name} cannot be cut")

    def booted_with(self, files: Mapping[str, tuple[bytes | Path, int]], last: str) -> "Target":
        """A further machine of the same kind, whose system has these files (content and mode) when it boots, and runs
        the shell lines `last` at the end of its start."""
        raise MissingCapability(f"{self.name} cannot be booted with other files")

    def settle(self) -> None:
        """Waits until udevd has dealt with everything, where one runs."""
        if "udev" in self.capabilities:
            self.check("udevadm settle --timeout=120", timeout=30)

    def journal(self) -> str:
        """The log of the target's kernel (and its journal, if it has one), for messages of failed tests."""
        return self.run("dmesg 2>/dev/null | tail -n 200").out

    # Built from these

    def unpack(self, archive: Path, directory: str, *, timeout: float) -> Completed:
        """Unpacks a tar archive of this machine, which is not compressed, into a directory of the target."""
        # Unpacked while it is received: a board keeps it in memory, which may be too small for two copies.
        return self.run(
            f"cd {shlex.quote(directory)} && tar -xzf -", input=gzip.compress(archive.read_bytes(), 6, mtime=0),
            timeout=timeout)

    def can(self, *capabilities: str) -> bool:
        """True if the target has all of these capabilities, or accepts a device of these kinds."""
        return all(word in self.capabilities or word in self.kinds for word in capabilities)

    def limit(self, seconds: float) -> float:
        """A time limit, stretched by how slow the target is."""
        return seconds * self.slowness

    def check(
        self, command: str | Sequence[str], *, input: bytes = b"", timeout: float = 30,
        environment: Mapping[str, str] | None = None,
    ) -> str:
        """Runs a command that must succeed; returns its output. Raises `AssertionError` with all it said."""
        done = self.run(command, input=input, timeout=timeout, environment=environment)
        if done.status != 0:
            raise AssertionError(f"{self.name}: {command} failed: {done}")
        return done.out

    def eventually(self, what: str, condition: Callable[[], Value | None], timeout: float = 10) -> Value:
        """Asks again and again until the condition gives something true, and returns that.

        It is for conditions without an event; if there is an event, wait for the event.
        """
        deadline = time.monotonic() + self.limit(timeout)
        while True:
            value = condition()
            if value:
                return value
            if time.monotonic() > deadline:
                raise TargetTimeout(f"{self.name}: it never came true within {self.limit(timeout):.0f} s that {what}")
            time.sleep(min(0.05 * self.slowness, 0.5))

    def exists(self, path: str) -> bool:
        """True if something exists at a path."""
        return self.run(["test", "-e", path]).status == 0

    def __enter__(self) -> "Target":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def shell_line(command: str | Sequence[str], environment: Mapping[str, str] | None = None) -> str:
    """One line for `/bin/sh` that runs a command with variables on top of the environment."""
    line = command if isinstance(command, str) else shlex.join(command)
    variables = "".join(f"export {name}={shlex.quote(value)}; " for name, value in (environment or {}).items())
    return variables + line


def content(source: str | os.PathLike[str] | bytes) -> bytes:
    """The content that `Target.put` writes."""
    return source if isinstance(source, bytes) else Path(source).read_bytes()

"""A machine in namespaces, with a network, processes, `/run`, `/etc` and `/var/lib` of its own, and a power switch.

Its disk is a directory: `/etc` and `/var/lib` are in it and outlast a power cut. Kernel, processes and `/run` are those of
the namespaces. A power cut kills their first process, and the kernel then kills all others at the same instant and
removes the interfaces. What was written to a file before stays: lost page caches are not simulated.
"""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from services import INTERFACE, Service

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cross"))

from toolchain import children  # noqa: E402

#: Seconds until a program must be ready.
PATIENCE = 30.0
ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}
#: Protects the machine: only the disk, the network's parameters and the links can be written.
SHUT_OUT = f"""
mount -t sysfs none /sys
mount --bind $D $D
mount --bind $D/etc /etc
mount --bind $D/lib /var/lib
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mount --bind /proc/sys/net /proc/sys/net
mount -o remount,bind,rw /proc/sys/net
mount --bind $D/boot_id /proc/sys/kernel/random/boot_id
mount -o remount,rw /sys
mount --bind /sys/devices/virtual/net /sys/devices/virtual/net
mount -o remount,bind,ro /sys
mount -o remount,bind,ro /
mount -t tmpfs -o mode=755 none /run
mkdir -p -m 0755 /run/cleat
hostname board
ip link set lo up
ip link add {INTERFACE} address 02:00:00:00:00:01 type veth peer name peer0
ip link set peer0 up
"""
#: Copies the few files of the machine that programs need; the others are the board's own.
SEED = """
mkdir -p $D/etc $D/lib/cleat $D/programs/usr/sbin $D/etc/cleat
chmod 700 $D/lib/cleat
for name in passwd group localtime ld.so.cache nsswitch.conf; do
    if test -e /etc/$name; then cp -a /etc/$name $D/etc/; fi
done
echo board >$D/etc/hostname
printf '127.0.0.1 localhost\\n' >$D/etc/hosts
printf '#!/bin/sh\\nexit 0\\n' >$D/idle
chmod 755 $D/idle
echo 0123456789abcdef0123456789abcdef >$D/etc/machine-id
printf 'nameserver 203.0.113.53\\n' >$D/etc/resolv.conf
"""


class Failure(Exception):
    """The reason why a cell failed."""


class Board:
    """A machine with one network service and Cleat. It is a context manager; nothing of it remains afterwards."""

    def __init__(self, service: Service, programs: Path, fault: str = "", fault_at: str = "") -> None:
        self.service = service
        self.programs = programs
        #: The fault that is made on purpose; empty without one.
        self.fault = fault
        #: Words of the comparisons at which the kernel's state is changed on purpose.
        self.fault_at = fault_at
        #: The name of the present comparison.
        self.comparison = ""
        #: Seconds until an expected state must be reached; a fault is not waited for so long.
        self.patience = 4.0 if fault else PATIENCE / 2
        self.disk = Path(tempfile.mkdtemp(prefix="cleat-matrix-"))
        self._holder: subprocess.Popen[bytes] | None = None
        self._init = 0
        self._cleatd: subprocess.Popen[bytes] | None = None
        self._boots = 0
        self._last = ""

    def __enter__(self) -> Board:
        try:
            self._on_machine(SEED + self.service.seed)
            self.boot()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends all of its processes and removes the disk."""
        self.cut_power()
        shutil.rmtree(self.disk, ignore_errors=True)

    # MARK: Power

    def boot(self, until: float | None = None) -> None:
        """Starts the machine: a new kernel state, an empty `/run`, Cleat, then the network service.

        With `until` it returns so many seconds after the start of Cleat, before the network service.
        """
        self._boots += 1
        (self.disk / "boot_id").write_text(f"{uuid.uuid4()}\n", encoding="utf-8")
        (self.disk / "ready").unlink(missing_ok=True)
        script = f"{SHUT_OUT}{self.service.mounts}\ntouch $D/ready\nwhile :; do sleep 600; done"
        with (self.disk / "boot.log").open("ab") as log:
            self._holder = children.start(
                ["unshare", "--mount", "--net", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-ec",
                 script],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environment)
        self.eventually("the namespaces are ready", lambda: self._is_up)
        if until is not None:
            self._launch_cleatd()
            time.sleep(until)
            return
        self.start_cleatd()
        if self._boots == 1:
            self.check(self.service.first_start)
        self.check(self.service.start)
        self.eventually(f"{self.service.name} runs", lambda: self.shell(self.service.running).returncode == 0)

    @property
    def _is_up(self) -> bool:
        assert self._holder is not None
        if self._holder.poll() is not None:
            raise Failure(f"no namespaces: {self._text('boot.log')}")
        found = _children(self._holder.pid)
        self._init = found[0] if found else 0
        return bool(found) and (self.disk / "ready").exists()

    def cut_power(self) -> None:
        """Kills all processes at the same instant; kernel state and `/run` are gone with them."""
        if self._holder is None:
            return
        for number in _children(self._holder.pid) or [self._holder.pid]:
            os.kill(number, signal.SIGKILL)
        for process in (self._holder, self._cleatd):
            if process is not None:
                process.wait(PATIENCE)
        self._holder = self._cleatd = None

    # MARK: Cleat

    def start_cleatd(self) -> None:
        """Starts the agent and waits until it answers."""
        process = self._launch_cleatd()

        def answers() -> bool:
            if process.poll() is not None:
                raise Failure(f"cleatd ended with {process.returncode}: {self._text('cleatd.log')}")
            return self.cleat("status").returncode == 0

        self.eventually("cleatd answers", answers)

    def _launch_cleatd(self) -> subprocess.Popen[bytes]:
        with (self.disk / "cleatd.log").open("ab") as log:
            self._cleatd = subprocess.Popen(
                self._inside([str(self.programs / "cleatd")]), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self._environment)
        return self._cleatd

    def kill_cleatd(self) -> None:
        """Kills the agent."""
        assert self._cleatd is not None
        for number in _children(self._cleatd.pid):
            os.kill(number, signal.SIGKILL)
        self._cleatd.wait(PATIENCE)
        self._cleatd = None

    def cleat(self, *words: str, status: int | None = None) -> subprocess.CompletedProcess[str]:
        """Runs `cleat`, which has to end with a status if one is given."""
        if words[0] not in ("status", "get", "drift", "log"):
            self._last = shlex.join(["cleat", *words])
        done = self._run([str(self.programs / "cleat"), *words])
        if status is not None and done.returncode != status:
            raise Failure(
                f"`{shlex.join(['cleat', *words])}` ended with {done.returncode} instead of {status}: "
                f"{_one_line(done.stdout + done.stderr)}")
        return done

    def start_cleat(self, script: str) -> subprocess.Popen[bytes]:
        """Starts a shell script in which `cleat` runs, and does not wait for it."""
        self._last = script
        return subprocess.Popen(
            self._inside(["sh", "-ec", f'cleat() {{ {shlex.quote(str(self.programs / "cleat"))} "$@"; }}\n{script}']),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=self._environment)

    def ask(self, *words: str) -> Any:
        """Runs `cleat … --output json`, which must succeed, and returns its output."""
        return json.loads(self.cleat(*words, "--output", "json", status=0).stdout)

    # MARK: Programs

    def shell(self, script: str) -> subprocess.CompletedProcess[str]:
        """Runs a shell script on the machine."""
        return self._run(["sh", "-ec", script])

    def check(self, script: str) -> str:
        """Runs a shell script that has to succeed, and returns its output."""
        done = self.shell(script)
        if done.returncode != 0:
            raise Failure(f"`{_one_line(script)}` ended with {done.returncode}: {_one_line(done.stdout + done.stderr)}")
        return done.stdout

    def eventually(self, what: str, holds: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Waits until a condition holds."""
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise Failure(f"not within {seconds:.0f} s: {what}")
            time.sleep(0.05)

    def break_tool(self) -> None:
        """Replaces the program of the network service by one that does nothing, if that fault is wanted."""
        if self.fault == "tool" and self.service.tool:
            self.check(f"mount --bind $D/idle {self.service.tool}")

    @property
    def last(self) -> str:
        """The last change that was requested."""
        return self._last

    @property
    def logs(self) -> str:
        """The last lines that each program has logged."""
        parts = [f"--- {path.name}\n{_tail(path)}" for path in sorted(self.disk.glob("*.log"))]
        return "\n".join(parts)

    @property
    def _environment(self) -> dict[str, str]:
        return {**ENVIRONMENT, "D": str(self.disk), "NO_COLOR": "1"}

    def _inside(self, words: list[str]) -> list[str]:
        return ["nsenter", "--target", str(self._init), "--mount", "--net", "--uts", "--pid", "--wd=/", *words]

    def _run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        try:
            return subprocess.run(
                self._inside(words), stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace",
                timeout=4 * PATIENCE, env=self._environment, check=False)
        except subprocess.TimeoutExpired as error:
            raise Failure(f"`{shlex.join(words)}` took more than {4 * PATIENCE:.0f} s") from error

    def _on_machine(self, script: str) -> None:
        subprocess.run(["sh", "-ec", script], check=True, stdin=subprocess.DEVNULL, env=self._environment)

    def _text(self, name: str) -> str:
        return _one_line(_tail(self.disk / name))


def _children(number: int) -> list[int]:
    """Returns the child processes of a process."""
    try:
        return [int(word) for word in Path(f"/proc/{number}/task/{number}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []


def _tail(path: Path) -> str:
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-25:]) if path.exists() else ""


def _one_line(text: str) -> str:
    return " / ".join(line.strip() for line in text.splitlines() if line.strip())

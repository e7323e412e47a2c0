"""The qemu process: its command line, its start, its death."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from toolchain import children

from .errors import BoardError
from .packages import need

QEMU = "qemu-system-aarch64"
SLOTS = 8
"""Root ports, each for one hot-pluggable PCI device; disks use the last of them."""
MOST_DISKS = SLOTS - 2
"""The most disks of a board: two ports stay free for the devices that a test plugs in."""


NET0_MAC = "52:54:00:c1:ea:00"


@dataclass(frozen=True)
class Disk:
    """A virtio disk: a raw image file, or `nbd:unix:PATH[:exportname=NAME]`, or `nbd+unix:///NAME?socket=PATH`."""

    source: str | Path
    read_only: bool = False
    serial: str = ""

    def blockdev(self, node: str) -> dict[str, Any]:
        """The block node that QEMU makes of it. A flush of the guest reaches the file or the server as a flush."""
        source = str(self.source)
        if source.startswith("nbd:unix:"):
            path, _, export = source.removeprefix("nbd:unix:").partition(":exportname=")
            below: dict[str, Any] = nbd(path, export)
        elif source.startswith("nbd+unix:"):
            address = urlsplit(source)
            below = nbd(parse_qs(address.query).get("socket", [""])[0], address.path.removeprefix("/"))
        else:
            if not Path(source).exists():
                raise BoardError(f"there is no disk image {source}", remedy="make it with mke2fs or truncate first")
            below = {"driver": "file", "filename": source}
        return {"driver": "raw", "node-name": node, "read-only": self.read_only, "file": below}

    def device(self, name: str, node: str, slot: int) -> dict[str, Any]:
        """The device that shows the node to the board."""
        return {"driver": "virtio-blk-pci", "id": name, "drive": node, "bus": f"slot{slot}",
                **({"serial": self.serial} if self.serial else {})}


def nbd(path: str, export: str) -> dict[str, Any]:
    """A block node on an NBD server at a Unix socket."""
    return {"driver": "nbd", "server": {"type": "unix", "path": path}, **({"export": export} if export else {})}


@dataclass
class Configuration:
    """The parts of the command line."""

    kernel: Path
    append: str
    console: Path
    memory_mib: int
    processors: int
    initrd: Path | None = None
    root: Path | None = None
    disks: list[Disk] = field(default_factory=list)
    clock: str = ""
    """The date of the battery-backed clock at the start; empty: the present time."""

    def slot(self, disk: int) -> int:
        """The slot of a disk: the last ones, in the order in which the kernel names them (vda or vdb first)."""
        return SLOTS - len(self.disks) + 1 + disk

    def arguments(self, qmp: int, agent: int, *, incoming: bool) -> list[str]:
        """The arguments of qemu; on a restore all but the disks, which are plugged in afterwards, are as they were."""
        result = [
            "-nodefaults", "-no-user-config", "-display", "none", "-M", "virt", "-cpu", "cortex-a53",
            "-smp", str(self.processors), "-m", str(self.memory_mib),
            "-kernel", str(self.kernel), "-append", self.append,
            "-chardev", f"socket,id=qmp,fd={qmp}", "-mon", "chardev=qmp,mode=control",
            "-chardev", f"file,id=console,path={comma(self.console)},append=on", "-serial", "chardev:console",
            "-chardev", f"socket,id=agent,fd={agent}", "-device", "virtio-serial-pci,addr=2",
            "-device", "virtserialport,chardev=agent,name=cleat.agent",
            "-device", "virtio-rng-pci,addr=6",
            "-netdev", "user,id=net0,restrict=on",
            "-device", f"virtio-net-pci,id=net0,netdev=net0,mac={NET0_MAC},romfile=,addr=3",
            "-device", "qemu-xhci,id=xhci,p2=8,p3=8,addr=4",
        ]
        for slot in range(1, SLOTS + 1):
            result += ["-device", f"pcie-root-port,id=slot{slot},chassis={slot},slot={slot},addr={hex(8 + slot)}"]
        if self.clock:
            result += ["-rtc", f"base={self.clock}"]
        if self.initrd:
            result += ["-initrd", str(self.initrd)]
        if self.root:
            result += ["-drive", f"if=none,id=root,format=qcow2,cache=unsafe,file={comma(self.root)}",
                       "-device", "virtio-blk-pci,drive=root,serial=root,addr=5"]
        if incoming:
            return result + ["-incoming", "defer"]
        for number, disk in enumerate(self.disks):
            result += ["-blockdev", dashed(disk.blockdev(f"disk{number}")),
                       "-device", dashed(disk.device(f"disk{number}", f"disk{number}", self.slot(number)))]
        return result


def comma(path: Path) -> str:
    """A path as the value of an option, where a comma is doubled."""
    return str(path).replace(",", ",,")


def dashed(value: dict[str, Any]) -> str:
    """An option in QEMU's JSON form."""
    return json.dumps(value)


class Machine:
    """One running qemu; ends with this process whatever happens to it."""

    def __init__(self, configuration: Configuration, errors: Path, *, incoming: bool) -> None:
        program = need(QEMU, "qemu-system-arm")
        need("setpriv", "util-linux")
        self.errors = errors
        self.qmp, qmp_end = socket.socketpair()
        self.agent, agent_end = socket.socketpair()
        try:
            with errors.open("ab") as log:
                self.process = children.start(
                    [program, *configuration.arguments(qmp_end.fileno(), agent_end.fileno(), incoming=incoming)],
                    stdin=subprocess.DEVNULL, stdout=log, stderr=log, pass_fds=(qmp_end.fileno(), agent_end.fileno()))
        except BaseException as error:
            self.qmp.close()
            self.agent.close()
            if isinstance(error, OSError):
                raise BoardError(f"qemu could not be started: {error}") from error
            raise
        finally:
            qmp_end.close()
            agent_end.close()
        self.qmp.setblocking(False)
        self.agent.setblocking(False)
        self.pidfd = os.pidfd_open(self.process.pid)

    def kill(self) -> None:
        """Ends qemu at once and waits until it is gone."""
        if self.process.poll() is None:
            signal.pidfd_send_signal(self.pidfd, signal.SIGKILL)
        self.process.wait(30)

    def close(self) -> None:
        """Ends qemu and closes the connections."""
        self.kill()
        self.qmp.close()
        self.agent.close()
        os.close(self.pidfd)

    def ending(self) -> str:
        """The end of qemu, in words."""
        status = self.process.poll()
        said = self.errors.read_text("utf-8", "replace").strip().splitlines()[-3:] if self.errors.exists() else []
        how = "is gone" if status is None else f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        return f"qemu {how}" + (f" ({'; '.join(said)})" if said else "")

"""The devices that are plugged into a board while it runs."""

from __future__ import annotations

import os
import socket
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Callable

from .errors import BoardError
from .guest import Guest
from .machine import NET0_MAC, SLOTS
from .qmp import QMP
from .serial_line import SerialLine


@dataclass
class Plugged:
    """One device, and the cleanup of its backend."""

    kind: str
    name: str
    slot: int | None = None
    mac: str = ""
    serial: SerialLine | None = None
    behind: list[Callable[[], None]] = field(default_factory=list)


class Plugs:
    """Plugs and unplugs over QMP. USB devices go at once, as when they are pulled out; a PCI device is switched off in
    its slot first, which the kernel takes a second for."""

    def __init__(self, board: Guest, directory: Path, disks: int) -> None:
        """`directory` is for the images of sticks; `disks` of the board's slots are taken."""
        self._board = board
        self._directory = directory
        self._slots = SLOTS - disks
        self._qmp: QMP | None = None
        self._plugged: dict[str, Plugged] = {}
        self._count = 0

    def attach(self, qmp: QMP) -> None:
        """Starts again with another machine, into which nothing is plugged yet."""
        self.forget()
        self._qmp = qmp

    def _command(self, name: str, arguments: dict[str, Any], *, file: int | None = None) -> None:
        if self._qmp is None:
            raise BoardError("the board was never switched on")
        self._qmp.command(name, arguments, file=file)

    def forget(self) -> None:
        """Forgets all: the machine that they were plugged into is gone."""
        for plugged in self._plugged.values():
            if plugged.serial:
                plugged.serial.close()
        self._plugged.clear()

    def serial(self, name: str) -> SerialLine:
        """The far end of a `usb-serial`: what the board writes to its ttyUSB comes out here."""
        plugged = self._plugged.get(name)
        if plugged is None or plugged.serial is None:
            raise BoardError(f"no usb-serial named {name} is plugged in")
        return plugged.serial

    def kind(self, name: str) -> str:
        """The kind of a device; `virtio-net` for the interface that every board has."""
        return self._plugged[name].kind if name in self._plugged else "virtio-net"

    def plug(self, kind: str, name: str, options: dict[str, Any]) -> None:
        """Plugs a device in and returns when qemu has it; the kernel sees it up to some seconds later (`wait_for`).

        Kinds and options: `usb-storage` (`path` or `size` in bytes, 1 MiB by default; `serial`, the name by default;
        `read_only`), `usb-serial` (`serial`; the other end is `plugs.serial(name)`), `usb-net` (`mac`), `usb-kbd`,
        `virtio-net` (`mac`), `virtio-blk` (`path`; `serial`, the name by default; `read_only`).
        """
        if name in self._plugged or name == "net0":
            raise BoardError(f"a device named {name} is plugged in already", remedy="unplug it, or choose another name")
        maker = {"usb-storage": self._storage, "usb-serial": self._serial, "usb-net": self._usb_net,
                 "usb-kbd": self._keyboard, "virtio-net": self._virtio_net, "virtio-blk": self._virtio_blk}.get(kind)
        if maker is None:
            raise BoardError(f"a board has no {kind}", remedy="usb-storage, usb-serial, usb-net, usb-kbd, virtio-net, virtio-blk")
        self._count += 1
        plugged = Plugged(kind, name)
        try:
            device = maker(plugged, dict(options))
            self._command("device_add", {"id": name, **device})
        except BaseException:
            self._remove_behind(plugged)
            raise
        self._plugged[name] = plugged

    def unplug(self, name: str, timeout: float) -> None:
        """Takes a device away and waits until qemu says that it is gone."""
        plugged = self._plugged.get(name)
        if plugged is None:
            raise BoardError(f"no device named {name} is plugged in")
        qmp = self._qmp
        assert qmp is not None
        seen = qmp.mark()
        deadline = time.monotonic() + timeout
        if plugged.slot is None:
            qmp.command("device_del", {"id": name})
        else:
            # The way of device_del is the attention button, and the kernel gives a person five seconds to press it
            # again. A switched-off slot releases its device at once.
            self._board.wait_for(f"/sys/bus/pci/slots/{plugged.slot}/power", content="1", timeout=timeout)
            self._board.run(["sh", "-c", f"echo 0 > /sys/bus/pci/slots/{plugged.slot}/power"], timeout=timeout).check()
        qmp.wait_event("DEVICE_DELETED", since=seen, timeout=max(1, deadline - time.monotonic()),
                       matching=lambda data: data.get("device") == name)
        del self._plugged[name]
        self._remove_behind(plugged)

    def _remove_behind(self, plugged: Plugged) -> None:
        for remove in reversed(plugged.behind):
            remove()
        plugged.behind.clear()

    def _command_later(self, plugged: Plugged, command: str, arguments: dict[str, Any]) -> None:
        plugged.behind.append(lambda: self._command(command, arguments))

    def _mac(self, plugged: Plugged, options: dict[str, Any]) -> str:
        plugged.mac = options.pop("mac", f"52:54:00:c1:{self._count >> 8 & 255:02x}:{self._count & 255:02x}")
        return plugged.mac

    def mac(self, name: str) -> str:
        """The address of a network device."""
        plugged = self._plugged.get(name)
        if name != "net0" and (plugged is None or not plugged.mac):
            raise BoardError(f"no network device named {name} is plugged in")
        return plugged.mac if plugged else NET0_MAC

    def _netdev(self, plugged: Plugged) -> str:
        name = f"{plugged.name}-net"
        self._command("netdev_add", {"type": "user", "id": name, "restrict": True})
        self._command_later(plugged, "netdev_del", {"id": name})
        return name

    def _storage(self, plugged: Plugged, options: dict[str, Any]) -> dict[str, Any]:
        path = options.pop("path", None)
        if path is None:
            path = self._directory / f"stick-{self._count}.img"
            with path.open("xb") as file:
                file.truncate(options.pop("size", 1 << 20))
            plugged.behind.append(lambda: Path(path).unlink(missing_ok=True))
        return {"driver": "usb-storage", "bus": "xhci.0", "drive": self._node(plugged, path, options), "removable": True,
                "serial": options.pop("serial", plugged.name), **options}

    def _node(self, plugged: Plugged, path: Path, options: dict[str, Any]) -> str:
        """Adds a block node on an image, which is removed with the device; returns its name."""
        node = f"{plugged.name}-disk{self._count}"
        self._command("blockdev-add", {
            "driver": "raw", "node-name": node, "read-only": options.pop("read_only", False),
            "file": {"driver": "file", "filename": str(path)}})
        self._command_later(plugged, "blockdev-del", {"node-name": node})
        return node

    def _serial(self, plugged: Plugged, options: dict[str, Any]) -> dict[str, Any]:
        near, far = socket.socketpair()
        name = f"{plugged.name}-wire"
        with far:
            self._command("getfd", {"fdname": name}, file=far.fileno())
        plugged.serial = SerialLine(near)
        plugged.behind.append(near.close)
        self._command("chardev-add", {"id": name, "backend": {"type": "socket", "data": {
            "addr": {"type": "fd", "data": {"str": name}}, "server": False}}})
        self._command_later(plugged, "chardev-remove", {"id": name})
        return {"driver": "usb-serial", "bus": "xhci.0", "chardev": name,
                "serial": options.pop("serial", plugged.name), **options}

    def _usb_net(self, plugged: Plugged, options: dict[str, Any]) -> dict[str, Any]:
        return {"driver": "usb-net", "bus": "xhci.0", "netdev": self._netdev(plugged), "mac": self._mac(plugged, options), **options}

    def _keyboard(self, plugged: Plugged, options: dict[str, Any]) -> dict[str, Any]:
        return {"driver": "usb-kbd", "bus": "xhci.0", **options}

    def _virtio_blk(self, plugged: Plugged, options: dict[str, Any]) -> dict[str, Any]:
        return {"driver": "virtio-blk-pci", "bus": self._slot(plugged),
                "drive": self._node(plugged, options.pop("path"), options),
                "serial": options.pop("serial", plugged.name), **options}

    def _virtio_net(self, plugged: Plugged, options: dict[str, Any]) -> dict[str, Any]:
        return {"driver": "virtio-net-pci", "bus": self._slot(plugged), "netdev": self._netdev(plugged), "romfile": "",
                "mac": self._mac(plugged, options), **options}

    def _slot(self, plugged: Plugged) -> str:
        """Takes a free slot for a device; returns its bus."""
        used = {other.slot for other in self._plugged.values()}
        free = [slot for slot in range(1, self._slots + 1) if slot not in used]
        if not free:
            raise BoardError(f"all {self._slots} slots of the board are taken", remedy="unplug something first")
        plugged.slot = free[0]
        return f"slot{plugged.slot}"

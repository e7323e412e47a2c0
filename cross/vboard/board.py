"""A virtual ARM board: a real arm64 kernel under qemu, with hot-plug, links that go down, and honest power cuts.

    with Board.start("bare") as board:
        board.put(Path("cleatd"), "/usr/bin/cleatd")
        print(board.run("uname -m").text)
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import struct
import threading
import time
from pathlib import Path
from typing import Any, Callable

from toolchain.scratch import Scratch

from . import image
from .agent_link import CLOCK, AgentLink
from .errors import BoardError, BoardTimeout
from .explained import Explained
from .guest import Guest
from .machine import MOST_DISKS, Configuration, Disk, Machine
from .migration import restore_state, save_state
from .plugs import Plugs
from .process import Completed, Process
from .qcow2 import create_overlay
from .qmp import QMP
from .reader import Reader

__all__ = ["Board", "BoardError", "BoardTimeout", "Completed", "Disk", "Process"]


class Board(Guest):
    """One board; every wait has a limit, and no process or file of it remains when this process ends."""

    def __init__(self, configuration: Configuration, scratch: Scratch, state: Path | None,
                 wait_until_up: Callable[["Board", float], None]) -> None:
        self._configuration = configuration
        self._scratch = scratch
        self._state = state
        self._wait_until_up = lambda timeout: wait_until_up(self, timeout)
        self._condition = threading.Condition(threading.RLock())
        self._death: str | None = None
        self._machine: Machine | None = None
        self._reader: Reader | None = None
        self.resets = 0
        self.plugs = Plugs(self, scratch.path, len(configuration.disks))

    # Power.

    @classmethod
    def start(cls, image_name: str = "bare", *, memory_mib: int = 256, processors: int = 1, disks: list[Disk] = [],
              fresh: bool = False, log_directory: Path | None = None, timeout: float = 240,
              overlay: bytes | None = None) -> "Board":
        """Starts a board and waits until its agent answers.

        The bare image boots from nothing. The Debian image is restored from a saved board with udevd up, which is made
        on the first use of a memory size and processor count; `fresh` boots it instead. `overlay` is a cpio archive of
        files that go over those of the initramfs.
        """
        built = image.ensure(image_name)
        if overlay and built.root:
            raise BoardError("an overlay goes over the bare image only", remedy="put the files on the board with put")

        def save(made: Path) -> None:
            with cls.start_image(built, None, memory_mib, processors, [], None, 600) as board:
                board.save(made / "state")
                board.cut()
                assert board.overlay is not None
                shutil.copyfile(board.overlay, made / "disk.qcow2")

        saved = image.ensure_saved(built, memory_mib, processors, save) if built.root and not fresh else None
        return cls.start_image(built, saved, memory_mib, processors, disks, log_directory, timeout, overlay)

    @classmethod
    def start_image(cls, built: image.Image, saved: image.Saved | None, memory_mib: int, processors: int, disks: list[Disk],
               log_directory: Path | None, timeout: float, overlay: bytes | None = None) -> "Board":
        """Starts a board from an image, restored from a saved one or booted; see `start`."""
        if len(disks) > MOST_DISKS:
            raise BoardError(f"a board supports {MOST_DISKS} disks, not {len(disks)}")
        scratch = Scratch("cleat-board-")
        try:
            configuration = Configuration(
                built.kernel, built.append, console_file(scratch.path, log_directory), memory_mib, processors,
                initramfs(built, scratch.path, overlay), root_disk(built, saved, scratch.path), list(disks))
        except BaseException as error:
            scratch.close()
            if isinstance(error, OSError):
                raise BoardError(f"the board's files cannot be written: {error}", remedy="free space, or set TMPDIR to another directory") from error
            raise
        board = cls(configuration, scratch, saved.state if saved else None, built.wait_until_up)
        try:
            board._power_on(timeout, restore=saved is not None)
        except BaseException:
            board.close()
            raise
        return board

    def _power_on(self, timeout: float, *, restore: bool) -> None:
        deadline = time.monotonic() + timeout
        machine = Machine(self._configuration, self._scratch.path / "qemu.err", incoming=restore)
        with self._condition:
            self._death = None
            self._machine = machine
            self._qmp = QMP(machine.qmp, self._condition, lambda: self._death)
            self._qmp.on_event = self._note_event
            self._link = AgentLink(machine.agent, self._condition, lambda: self._death)
            self.plugs.attach(self._qmp)
        self._reader = Reader(machine, self._condition, self._qmp.feed, self._link.feed, self._died)
        self._reader.start()
        with self._explained("starting the board"):
            self._qmp.negotiate(max(1, deadline - time.monotonic()))
            if restore:
                assert self._state is not None
                restore_state(self._qmp, self._state, deadline)
            self._link.greet(deadline)
            self._set_clock(deadline)
            if restore:
                self._add_disks()
            else:
                self._wait_until_up(max(1, deadline - time.monotonic()))

    def _add_disks(self) -> None:
        """Plugs the disks into a restored board, one after the other, so that their names are those of a boot."""
        for number, disk in enumerate(self._configuration.disks):
            name = f"disk{number}"
            self._qmp.command("blockdev-add", disk.blockdev(name))
            self._qmp.command("device_add", disk.device(name, name, self._configuration.slot(number)))
            self.wait_for(f"/dev/vd{chr(ord('b') + number)}", timeout=60)
        if self._configuration.disks:
            self.settle()

    def save(self, state: Path, *, timeout: float = 120) -> None:
        """Writes the running board's state to a file and ends the board; its disk is then as the state expects."""
        deadline = time.monotonic() + timeout
        with self._explained("saving the board"):
            self.run(["sync"], timeout=timeout)
            save_state(self._qmp, state, deadline)

    def cut(self) -> None:
        """Cuts the power: qemu is killed, and the guest has no chance to write anything more."""
        if self._machine is not None:
            self._machine.kill()
            self._join()

    def restart(self, *, timeout: float = 240, disks: list[Disk] | None = None, clock: str = "") -> None:
        """Switches the board on again after a cut; it boots, it is not restored.

        `disks` are its disks from then on, at most as many as before; without them it has the same ones. `clock` is the
        date of its battery-backed clock, such as `1970-01-01T00:00:00`; without it, the board's clock is set to the time.
        """
        self._join()
        if disks is not None:
            self._configuration.disks = list(disks)
        self._configuration.clock = clock
        if self._machine is not None:
            self._machine.close()
            self._machine = None
        self._power_on(timeout, restore=False)

    def reboot(self, *, timeout: float = 300) -> None:
        """Reboots in an orderly way and waits until the agent of the new boot answers."""
        deadline = time.monotonic() + timeout
        with self._explained("rebooting the board"):
            before, resets = self._link.announcements, self.resets
            try:
                self.run(["reboot"], timeout=timeout)
            except BoardError:
                if self._death:  # otherwise the agent was ended before it could report the result
                    raise
            self._link.wait(lambda: self.resets > resets, deadline, "waiting for the reset")
            self._link.wait(lambda: self._link.announcements > before, deadline, "waiting for the new boot")
            self._link.greet(deadline)
            self._set_clock(deadline)
            self._wait_until_up(max(1, deadline - time.monotonic()))

    def power_off(self, *, timeout: float = 120) -> None:
        """Shuts down in an orderly way and waits until qemu has ended; `restart` switches on again."""
        with self._explained("switching the board off"):
            try:
                self.run(["poweroff"], timeout=timeout)
            except BoardError:
                pass
            self.wait_until_off(timeout)
        self._join()

    def close(self) -> None:
        """Ends the board and removes what it kept; may be called twice."""
        if self._machine is not None:
            self._machine.kill()
            self._join()
            self._machine.close()
            self._machine = None
        self.plugs.forget()
        self._scratch.close()

    def __enter__(self) -> "Board":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        """True if the board runs."""
        with self._condition:
            return self._machine is not None and self._death is None

    @property
    def pid(self) -> int:
        """The process id of qemu."""
        assert self._machine is not None
        return self._machine.process.pid

    @property
    def console_path(self) -> Path:
        """The file that holds what the board writes to its serial console."""
        return self._configuration.console

    def wait_until_off(self, timeout: float | None = None) -> None:
        """Waits until qemu has ended, by itself or by a shutdown of the board."""
        with self._condition:
            if not self._condition.wait_for(lambda: self._death is not None, timeout):
                raise BoardTimeout(f"the board did not switch off within {timeout:g} s")

    @property
    def overlay(self) -> Path | None:
        """The overlay with this board's writes to its root disk; the bare board has no such disk."""
        return self._configuration.root

    @property
    def boot_id(self) -> str:
        """The kernel's number for this boot."""
        return self._link.boot_id

    # Hardware.

    def plug(self, kind: str, name: str, **options: Any) -> None:
        """Plugs a device in; see `Plugs.plug` for the kinds and their options."""
        with self._explained(f"plugging {kind} {name}"):
            self.plugs.plug(kind, name, options)

    def unplug(self, name: str, *, timeout: float = 30) -> None:
        """Pulls a device out and waits until it is gone."""
        with self._explained(f"unplugging {name}"):
            self.plugs.unplug(name, timeout)

    def link(self, name: str, up: bool) -> None:
        """Plugs the network cable of an interface in or out; `net0` is the one that every board has."""
        with self._explained(f"setting the link of {name}"):
            self._qmp.command("set_link", {"name": name, "up": up})

    def interface(self, name: str, *, timeout: float = 30) -> str:
        """Waits for the network interface of a plugged device, and for udevd where it renames, and returns its name.

        A USB adapter has its interface before the kernel has asked for the rest of it; pulled out in that moment, it
        takes the kernel two time-outs of five seconds to notice. So this waits for the rest, too.
        """
        mac = self.plugs.mac(name)
        self.wait_for("/sys/class/net/*/address", content=mac, timeout=timeout)
        if self.plugs.kind(name) == "usb-net":
            self.wait_for("/sys/bus/usb/drivers/cdc_ether/*:*.1/ep_*", timeout=timeout)
        self.settle()
        return self.wait_for("/sys/class/net/*/address", content=mac, timeout=timeout)[0].split("/")[4]

    def forward(self, port: int = 22, *, timeout: float = 60) -> int:
        """Makes a TCP port of the board reachable and returns the port of this machine's loopback that leads there.

        Waits until the board listens: qemu's network stalls for half a minute where one connects too early.
        """
        line = f":{port:04X}"
        with self._explained(f"forwarding port {port}"):
            self.run(f"until grep -q '{line} 00000000:0000 0A\\|{line} 0*:0000 0A' /proc/net/tcp /proc/net/tcp6; do "
                     "sleep 0.1; done", timeout=timeout).check()
            for _ in range(10):
                with socket.socket() as free:
                    free.bind(("127.0.0.1", 0))
                    chosen = int(free.getsockname()[1])
                said = self._qmp.command("human-monitor-command",
                                         {"command-line": f"hostfwd_add net0 tcp:127.0.0.1:{chosen}-:{port}"}).strip()
                if not said:
                    return chosen
                # Another program has taken the port meanwhile.
            raise BoardError(f"qemu did not forward the port: {said}")

    # Its output.

    def console(self) -> str:
        """All that the board wrote to its serial console."""
        path = self._configuration.console
        text = path.read_text("utf-8", "replace") if path.exists() else ""
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|\r", "", text)

    # Within.

    def _connected(self) -> AgentLink:
        if self._machine is None:
            raise BoardError("the board is closed")
        if self._death:
            raise BoardError(self._death, remedy="the board is off; restart() switches it on")
        return self._link

    def _set_clock(self, deadline: float) -> None:
        if self._configuration.clock:
            return
        self._link.transfer(CLOCK, struct.pack("<q", time.time_ns()) + os.urandom(64), "setting the clock", deadline)

    def _note_event(self, event: dict[str, Any]) -> None:
        if event["event"] == "RESET":
            self.resets += 1
            self._link.interrupted("the board restarted")

    def _explained(self, doing: str) -> Explained:
        return Explained(self.console, doing)

    def _join(self) -> None:
        reader = self._reader
        if reader is not None and reader is not threading.current_thread():
            reader.join(30)

    def _died(self, ending: str) -> None:
        self._death = ending
        self._link.interrupted(ending)


def console_file(directory: Path, logs: Path | None) -> Path:
    """The file of the console: next to the board's own files, or under a name of its own if logs are kept."""
    if logs is None:
        return directory / "console.log"
    logs.mkdir(parents=True, exist_ok=True)
    return logs / f"console-{os.getpid()}-{directory.name.removeprefix('cleat-board-')}.log"


def initramfs(built: image.Image, directory: Path, overlay: bytes | None) -> Path:
    """The image's initramfs, with an archive of more files behind it."""
    if not overlay:
        return built.initrd
    # The kernel unpacks archives one after the other; a file takes the place of an earlier one.
    path = directory / "initramfs"
    path.write_bytes(built.initrd.read_bytes() + overlay)
    return path


def root_disk(built: image.Image, saved: image.Saved | None, directory: Path) -> Path | None:
    """An overlay over the image's root file system, or over the one of the saved board; None where it has none."""
    if built.root is None:
        return None
    path = directory / "root.qcow2"
    create_overlay(path, str(saved.disk if saved else built.root), "qcow2" if saved else "raw", built.root.stat().st_size)
    return path

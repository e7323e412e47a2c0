"""The virtual board as a target."""

from __future__ import annotations

import io
import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from vboard import bare_image
from vboard.board import Board, BoardError, BoardTimeout, Disk
from vboard.board import Process as BoardProcess
from vboard.machine import QEMU
from vboard.newc import Archive
from vboard.packages import need, say

from target.errors import TargetError, TargetGone, TargetMissing, TargetTimeout
from target.process import Completed, Process
from target.target import Target, content
from toolchain import children
from toolchain.scratch import Scratch

_KINDS = frozenset({"usb-storage", "usb-serial", "usb-net", "usb-kbd", "virtio-net"})
_EVERYWHERE = {"root", "plug", "link", "reboot", "cut", "disk", "mount", "deploy"}
_DEBIAN = {"udev", "rename", "systemd"}
_OF_IMAGE = {"bare": {"busybox-init"}, "debian": _DEBIAN, "wifi": _DEBIAN | {"wifi"}}
_DIRECTORY = "/tmp/cleat-target"
#: The mount point of the disk of the bare image, which lives in memory; the other ones have their root on a disk.
_DISK = {"bare": "/mnt/cleat-disk", "debian": "/var/cleat-disk", "wifi": "/var/cleat-disk"}


class VBoardTarget(Target):
    """Adapts `vboard.board.Board`: a real arm64 kernel under qemu, with real plugging, links and power cuts."""

    def __init__(
        self, image: str, *, disk_mib: int = 64, memory_mib: int = 256, overlay: bytes | None = None,
    ) -> None:
        """Starts a board.

        The bare image gets an ext4 disk of so many MiB; `overlay` is an archive that the kernel unpacks over it.
        """
        self.name = f"vboard ({image})"
        self.image = image
        self.architecture = "aarch64"
        self.capabilities = frozenset(_EVERYWHERE | _OF_IMAGE[image])
        self.kinds = _KINDS
        # Emulated code runs about ten times slower; some more for a machine that has other work.
        self.slowness = 15
        self.directory = _DIRECTORY
        self.disk = _DISK[image]
        self._cut = False
        self._board: Board | None = None
        self._scratch = Scratch("cleat-disk-")
        try:
            with self._told("making its disk"):
                disks = [Disk(self._make_disk(disk_mib))] if image == "bare" else []
            self._start(memory_mib, disks, overlay)
            self._prepare()
        except BaseException:
            self.close()
            raise

    def _start(self, memory_mib: int, disks: list[Disk], overlay: bytes | None) -> None:
        """Starts the board; once more if the emulator was killed or the board did not answer in time, which is no
        failure of the tested programs."""
        def start() -> Board:
            return Board.start(self.image, memory_mib=memory_mib, disks=disks, overlay=overlay)

        with self._told("starting"):
            try:
                self._board = start()
            except BoardError as error:
                if not (isinstance(error, BoardTimeout) or "qemu was ended by signal" in error.what):
                    raise
                say(f"the board did not answer; a new one is started, once: {error}")
                self._board = start()

    def _make_disk(self, mib: int) -> Path:
        path = self._scratch.path / "disk.img"
        with path.open("xb") as file:
            file.truncate(mib << 20)
        # As an ordinary user: nothing is mounted on this machine.
        made = children.run(
            [need("mke2fs", "e2fsprogs"), "-q", "-F", "-t", "ext4", "-L", "cleat-disk", str(path)], capture=True,
            text=True, seconds=60)
        if made.returncode != 0:
            raise BoardError(f"mke2fs could not make a disk: {made.stderr.strip()}", remedy="free space, or set TMPDIR to another directory")
        return path

    def _prepare(self) -> None:
        script = f"umask 022; rm -rf {self.directory}; mkdir -p {self.directory} {self.disk}; "
        if self.image == "bare":
            script += (
                f"grep -q ' {self.disk} ' /proc/mounts || mount -t ext4 $(findfs LABEL=cleat-disk) {self.disk} "
                f"|| mount -t ext4 /dev/vda {self.disk}")
        self.check(script, timeout=10)

    @contextmanager
    def _told(self, doing: str) -> Iterator[None]:
        try:
            yield
        except BoardTimeout as error:
            if self._board is not None and not self._board.alive:
                raise TargetGone(f"{self.name} has gone while {doing}: {error}") from error
            raise TargetTimeout(f"{self.name}: {doing}: {error}") from error
        except BoardError as error:
            if error.missing:
                raise TargetMissing(f"{self.name}: {doing}: {error}") from error
            if self._board is None:
                raise TargetError(f"{self.name}: {doing}: {error}") from error
            if not self._board.alive:
                raise TargetGone(f"{self.name} has gone while {doing}: {error}") from error
            raise TargetError(f"{self.name}: {doing}: {error}") from error

    @property
    def board(self) -> Board:
        """The board itself, for what only a virtual board can do."""
        if self._board is None:
            raise TargetGone(f"{self.name} is closed")
        return self._board

    def run(
        self, command: str | Sequence[str], *, input: bytes = b"", timeout: float = 30,
        environment: Mapping[str, str] | None = None,
    ) -> Completed:
        with self._told(f"running {command}"):
            done = self.board.run(
                _line(command), input=input, timeout=self.limit(timeout),
                environment=dict(environment or {}))
        return Completed(
            _status(done.status), done.out.decode(errors="surrogateescape"), done.err.decode(errors="surrogateescape"))

    def spawn(
        self, command: str | Sequence[str], *, environment: Mapping[str, str] | None = None, input: bool = False,
    ) -> Process:
        with self._told(f"starting {command}"):
            process = self.board.spawn(
                _line(command), environment=dict(environment or {}),
                timeout=self.limit(10))
            if not input:
                process.close_input()
        return _VBoardProcess(self, process, str(command))

    def put(self, source: str | os.PathLike[str] | bytes, path: str, *, mode: int = 0o644) -> None:
        self.check(["mkdir", "-p", str(Path(path).parent)])
        with self._told(f"writing {path}"):
            self.board.put(content(source), path, mode)

    def get(self, path: str) -> bytes:
        with self._told(f"reading {path}"):
            return self.board.get(path)

    def plug(self, kind: str, name: str) -> None:
        if kind not in self.kinds:
            super().plug(kind, name)
        with self._told(f"plugging in {name}"):
            self.board.plug(kind, name)

    def unplug(self, name: str) -> None:
        with self._told(f"unplugging {name}"):
            self.board.unplug(name, timeout=self.limit(5))

    def unpack(self, archive: Path, directory: str, *, timeout: float) -> Completed:
        """As a disk: to receive and decompress it takes an emulated processor ten times as long."""
        find = "grep -lx archive /sys/block/vd*/serial | cut -d/ -f4"
        with self._told("plugging in the archive"):
            self.board.plug("virtio-blk", "archive", path=archive, read_only=True)
        try:
            self.eventually("the archive is there", lambda: bool(self.run(find).out.strip()))
            return self.run(f"tar -xf /dev/$({find}) -C {shlex.quote(directory)}", timeout=timeout)
        finally:
            self.unplug("archive")

    def link(self, name: str, up: bool) -> None:
        with self._told(f"switching the link of {name}"):
            self.board.link(name, up)

    def reboot(self) -> None:
        with self._told("rebooting"):
            if self._cut:
                self.board.restart(timeout=self.limit(20))
                self._cut = False
            else:
                self.board.reboot(timeout=self.limit(20))
        self._prepare()

    def cut(self) -> None:
        with self._told("cutting the power"):
            self.board.cut()
        self._cut = True

    def booted_with(self, files: Mapping[str, tuple[bytes | Path, int]], last: str) -> "VBoardTarget":
        if self.image != "bare":
            return super().booted_with(files, last)  # type: ignore[return-value]
        with io.BytesIO() as file:
            with Archive(file) as archive:
                for path, (source, mode) in files.items():
                    archive.file(path, source, mode)
                script = Path(bare_image.HERE, "bare/etc/init.d/rcS").read_text(encoding="utf-8") + last
                archive.file("/etc/init.d/rcS", script.encode(), 0o755)
            return VBoardTarget(self.image, overlay=file.getvalue())

    def settle(self) -> None:
        with self._told("waiting for udevd"):
            self.board.settle(timeout=self.limit(10))

    def journal(self) -> str:
        with self._told("reading the journal"):
            return self.board.journal()

    def is_alive(self) -> bool:
        return self._board is not None and self._board.alive

    def close(self) -> None:
        if self._board is not None:
            self._board.close()
            self._board = None
        self._scratch.close()


class _VBoardProcess(Process):
    """Adapts `vboard.process.Process`."""

    def __init__(self, target: VBoardTarget, process: BoardProcess, what: str) -> None:
        self._target = target
        self._process = process
        self._what = what
        self.pid = process.pid

    @property
    def err(self) -> str:
        return self._process.err.decode(errors="replace")

    def read_line(self, timeout: float = 10) -> str | None:
        with self._target._told(f"waiting for a line of {self._what}; its messages: {self.err[-2000:]}"):
            return self._process.read_line(self._target.limit(timeout))

    def write(self, data: bytes) -> None:
        with self._target._told(f"writing to {self._what}"):
            self._process.write(data, self._target.limit(10))

    def signal(self, number: int) -> None:
        with self._target._told(f"sending a signal to {self._what}"):
            self._process.signal(number, group=False)

    def wait(self, timeout: float = 10) -> int:
        with self._target._told(f"waiting for the end of {self._what}"):
            return _status(self._process.wait(self._target.limit(timeout)))

    def close(self) -> None:
        if self._target.is_alive():
            self._process.close()


def _line(command: str | Sequence[str]) -> str:
    """A line for the board's shell: a missing program is reported with a status, as on other targets."""
    return command if isinstance(command, str) else "exec " + shlex.join(command)


def _status(status: int) -> int:
    """A signal as a shell says it."""
    return 128 - status if status < 0 else status


def require_board() -> None:
    """Checks that this machine has the programs that start a board; raises `TargetMissing`."""
    try:
        for program, package in ((QEMU, "qemu-system-arm"), ("setpriv", "util-linux"), ("mke2fs", "e2fsprogs")):
            need(program, package)
    except BoardError as error:
        raise TargetMissing(f"a virtual board cannot be started: {error}") from error

"""The Debian image: systemd and udevd on ext4, an ssh server, and the agent as a service."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from toolchain import children

from . import modules
from .bare_image import add_modules, build_agent, unpack_busybox, unpack_kernel
from .dpkg_database import write_database
from .errors import BoardError
from .guest import Guest
from .newc import Archive
from .packages import SUITE, Package, Packages, need, say

__all__ = ["APPEND", "SUITE", "build", "packages", "wait_until_up"]
HERE = Path(__file__).resolve().parent
APPEND = "console=ttyAMA0 quiet loglevel=4 panic=1 rw"
BASE = """usr-is-merged base-files base-passwd bash coreutils dash diffutils findutils grep gzip hostname login mawk passwd
    procps sed tar util-linux mount kmod e2fsprogs libc-bin""".split()
NETWORK = "udev iproute2 iputils-ping dropbear-bin".split()
WANTED = [*BASE, "systemd", "systemd-sysv", *NETWORK]
LEFT_OUT = {"perl-base", "debconf", "adduser", "dpkg", "init-system-helpers", "usr-is-merged", "libaudit-common",
            "logsave", "debianutils"}
"""Packages that are needed only to install packages, which is not done here."""


def packages(mirror: Packages, more: Sequence[str] = ()) -> list[Package]:
    """Returns what the image is made of: the kernel first, BusyBox (for the initramfs) second; `more` names further ones."""
    rest = [package for package in mirror.closure([*WANTED, *more]) if package.name not in LEFT_OUT]
    return [mirror.kernel(), mirror.find("busybox-static"), *rest]


def build(
    debs: list[Path], destination: Path, work: Path, *, more_modules: Sequence[str] = (), overlays: Sequence[Path] = (),
    with_dpkg: bool = False,
) -> None:
    """Makes `kernel`, `initramfs` and `root.ext4` in the destination.

    Each of `overlays` is a directory like `debian`, which may lack parts: its `root` is copied over the packages' files,
    its `passwd` and `group` are appended, and its script `finish` runs last with the root file system as its argument.
    With `with_dpkg` the image has dpkg's database of its packages.
    """
    say(f"building the {overlays[-1].name if overlays else 'Debian'} image")
    fakeroot, mke2fs, depmod = need("fakeroot", "fakeroot"), need("mke2fs", "e2fsprogs"), need("depmod", "kmod")
    tree = unpack_kernel(debs[0], work / "kernel", destination)
    busybox = unpack_busybox(debs[1], work / "busybox")
    build_agent(work / "vboard-agent")
    write_initramfs(destination, work, busybox, tree)
    copy_modules(tree, work / "modules" / tree.name, more_modules)
    run([depmod, "-b", str(fake_base(work)), tree.name])
    if with_dpkg:
        write_database(debs[2:], work / "dpkg")
    run([fakeroot, str(HERE / "debian/assemble"), str(work), str(destination / "root.ext4"), *map(str, debs[2:])],
        PATH=f"{os.environ.get('PATH', '')}:{Path(mke2fs).parent}", VBOARD_OVERLAYS=":".join(map(str, overlays)))


def write_initramfs(destination: Path, work: Path, busybox: Path, tree: Path) -> None:
    """Makes the `initramfs` that mounts the root file system and starts its init."""
    with (destination / "initramfs").open("xb") as file, Archive(file) as archive:
        for name in ("proc", "sys", "dev", "root", "bin"):
            archive.directory(name)
        archive.device("dev/console", 5, 1)
        archive.file("bin/busybox", busybox, 0o755)
        archive.file("bin/vboard-agent", work / "vboard-agent", 0o755)
        archive.file("init", HERE / "debian/initramfs/init", 0o755)
        add_modules(archive, tree, modules.ROOT)


def copy_modules(tree: Path, destination: Path, more: Sequence[str] = ()) -> None:
    """Copies the modules that a board uses: udevd loads them by what is plugged in."""
    for path in modules.in_order(tree, [*modules.BOARD, *modules.MORE, *more]):
        target = destination / path.relative_to(tree)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    for path in tree.glob("modules.*"):
        shutil.copyfile(path, destination / path.name)


def fake_base(work: Path) -> Path:
    """Returns a directory in which the modules are where depmod searches them."""
    base = work / "base"
    (base / "lib").mkdir(parents=True)
    (base / "lib/modules").symlink_to(work / "modules")
    return base


def run(command: list[str], **environment: str) -> None:
    """Runs one step of the build."""
    done = children.run(command, capture=True, text=True, env={**os.environ, **environment}, seconds=900)
    if done.returncode != 0:
        raise BoardError(f"{Path(command[0]).name} {Path(command[1]).name} failed: {done.stderr.strip()[-1000:]}")


def wait_until_up(board: Guest, timeout: float = 180) -> None:
    """Waits until systemd has started all and udevd has nothing left to do."""
    said = board.run(["systemctl", "is-system-running", "--wait"], timeout=timeout).text.strip()
    if said not in ("running", "degraded"):
        raise BoardError(f"the board's systemd is “{said}” when it should run", remedy="see the journal")
    board.settle()

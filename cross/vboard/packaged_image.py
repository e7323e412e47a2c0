"""The images on which packages are installed: Debian with dpkg and its database, Debian with OpenRC, BusyBox on a disk.

None of them has anything that Cleat's packages make themselves, such as the group `cleat`.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from . import debian_image, modules
from .bare_image import build_agent, unpack_busybox, unpack_kernel
from .guest import Guest
from .packages import SUITE, Package, Packages, need, say

HERE = Path(__file__).resolve().parent
DPKG = "dpkg init-system-helpers perl-base bsdutils debianutils ncurses-bin sysvinit-utils".split()
"""Packages that the scripts of other packages use."""
SYSTEMD = ["systemd", "systemd-sysv"]
OPENRC = ["sysvinit-core", "openrc", "initscripts", "ifupdown", "busybox-static"]
"""The usual way to OpenRC in Debian: the first process is sysvinit's, which starts OpenRC's runlevels. The network is
ifupdown's, in the first of them."""


@dataclass(frozen=True)
class DebianKind:
    """Debian of one release, with dpkg and one init system."""

    SUITE: str
    init: tuple[str, ...]
    #: The directories of what is added, as in `debian_image.build`.
    overlays: tuple[str, ...]
    APPEND: str = debian_image.APPEND

    def packages(self, mirror: Packages) -> list[Package]:
        """Returns what the image is made of, as `debian_image.packages`, without a package that is left out."""
        wanted = [*debian_image.BASE, *self.init, *debian_image.NETWORK, *DPKG]
        return [mirror.kernel(), mirror.find("busybox-static"), *mirror.closure(wanted)]

    def build(self, debs: list[Path], destination: Path, work: Path) -> None:
        """Makes the files of `debian_image.build` in the destination."""
        debian_image.build(debs, destination, work, overlays=[HERE / name for name in self.overlays], with_dpkg=True)

    def wait_until_up(self, board: Guest, timeout: float = 180) -> None:
        """Waits until the init system has started all."""
        if "systemd" in self.init:
            debian_image.wait_until_up(board, timeout)
        else:
            # The agent is started after OpenRC's last runlevel.
            board.settle()


@dataclass(frozen=True)
class BusyBoxKind:
    """BusyBox and its init on a disk, with start scripts in Buildroot's order."""

    SUITE: str = SUITE
    overlays: tuple[str, ...] = ("busybox",)
    APPEND: str = debian_image.APPEND

    def packages(self, mirror: Packages) -> list[Package]:
        """Returns what the image is made of: the kernel first, BusyBox second."""
        return [mirror.kernel(), mirror.find("busybox-static")]

    def build(self, debs: list[Path], destination: Path, work: Path) -> None:
        """Makes `kernel`, `initramfs` and `root.ext4` in the destination."""
        say("building the BusyBox image")
        tree = unpack_kernel(debs[0], work / "kernel", destination)
        busybox = unpack_busybox(debs[1], work / "busybox")
        build_agent(work / "vboard-agent")
        debian_image.write_initramfs(destination, work, busybox, tree)
        root = work / "root"
        for name in ("proc", "sys", "dev", "run", "mnt", "bin", "sbin", "usr/bin", "usr/sbin", "usr/lib/vboard", "etc/init.d",
                     "lib/modules", "var/lib", "var/log", "tmp", "root"):
            (root / name).mkdir(parents=True, exist_ok=True)
        for source in (HERE / "bare", HERE / "busybox/root"):
            shutil.copytree(source, root, dirs_exist_ok=True)
        (root / "etc/shadow").chmod(0o600)
        (root / "tmp").chmod(0o1777)
        (root / "root").chmod(0o700)
        (root / "var/run").symlink_to("/run")
        for name, target in (("bin/sh", "busybox"), ("sbin/init", "../bin/busybox")):
            (root / name).symlink_to(target)
        for source, path in ((busybox, "bin/busybox"), (work / "vboard-agent", "sbin/vboard-agent"),
                             (HERE / "debian/root/usr/lib/vboard/network", "usr/lib/vboard/network")):
            shutil.copyfile(source, root / path)
            (root / path).chmod(0o755)
        listed = []
        for path in modules.in_order(tree, modules.BOARD):
            place = root / "lib/modules" / tree.name / path.relative_to(tree)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
            listed.append(f"/{place.relative_to(root)}\n")
        (root / "lib/modules/list").write_text("".join(listed))
        # Under fakeroot all files are root's.
        image = destination / "root.ext4"
        with image.open("xb") as file:
            file.truncate(512 << 20)
        debian_image.run([need("fakeroot", "fakeroot"), need("mke2fs", "e2fsprogs"), "-q", "-t", "ext4", "-F", "-m", "0",
                          "-L", "root", "-E", "assume_storage_prezeroed=1,root_owner=0:0", "-d", str(root), str(image)])

    def wait_until_up(self, board: Guest, timeout: float = 60) -> None:
        """Waits for nothing: the agent is started after all start scripts."""


KINDS: dict[str, DebianKind | BusyBoxKind] = {
    "debian12": DebianKind("bookworm", tuple(SYSTEMD), ("packaged",)),
    "debian13": DebianKind("trixie", tuple(SYSTEMD), ("packaged",)),
    "openrc": DebianKind("bookworm", tuple(OPENRC), ("packaged", "openrc")),
    "busybox": BusyBoxKind(),
}

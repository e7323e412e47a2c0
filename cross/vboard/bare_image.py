"""The bare image: a kernel and an initramfs of BusyBox, the agent and the modules. The board as small as they come."""

from __future__ import annotations

import lzma
import stat
import subprocess
from pathlib import Path

from . import modules
from .errors import BoardError
from .newc import Archive
from .packages import SUITE, Package, Packages, need, say, unpack

__all__ = ["APPEND", "SUITE", "build", "packages", "wait_until_up"]
HERE = Path(__file__).resolve().parent
APPEND = "console=ttyAMA0 quiet loglevel=4 panic=1 rdinit=/sbin/init"


def packages(mirror: Packages) -> list[Package]:
    """Returns what the image is made of: the kernel first, BusyBox second."""
    return [mirror.kernel(), mirror.find("busybox-static")]


def build_agent(destination: Path) -> None:
    """Compiles the guest agent, static, for the board."""
    compiler = need("aarch64-linux-gnu-gcc", "gcc-aarch64-linux-gnu libc6-dev-arm64-cross")
    sources = sorted(path.name for path in (HERE / "agent").glob("*.c"))
    done = subprocess.run([compiler, "-static", "-Os", "-s", "-Wall", "-Wextra", "-Werror", "-std=gnu17", "-Wl,--build-id=none",
                           "-o", str(destination), *sources], cwd=HERE / "agent", capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise BoardError(f"the guest agent does not compile: {done.stderr.strip()[-1000:]}")


def unpack_kernel(deb: Path, work: Path, destination: Path) -> Path:
    """Puts the kernel into the image's directory and returns where its modules are unpacked, without compression."""
    unpack(deb, work, "./boot", "./*lib/modules")
    kernels = list((work / "boot").glob("vmlinuz-*"))
    trees = [path for path in work.glob("**/lib/modules/*") if path.is_dir()]
    for path in work.rglob("*.ko.xz"):
        path.with_suffix("").write_bytes(lzma.decompress(path.read_bytes()))
        path.unlink()
    if len(kernels) != 1 or len(trees) != 1:
        raise BoardError(f"{deb.name} holds {len(kernels)} kernels and {len(trees)} module trees, not one of each")
    kernels[0].rename(destination / "kernel")
    return trees[0]


def unpack_busybox(deb: Path, work: Path) -> Path:
    """Unpacks BusyBox and returns its path."""
    unpack(deb, work, "./*bin/busybox")
    return next(path for path in (work / "bin/busybox", work / "usr/bin/busybox") if path.exists())


def add_modules(archive: Archive, tree: Path, names: list[str]) -> None:
    """Adds modules and the list by which `vboard-agent load` loads them."""
    listed = []
    for path in modules.in_order(tree, names):
        place = f"lib/modules/{tree.name}/{path.relative_to(tree)}"
        archive.file(place, path)
        listed.append(f"/{place}\n")
    archive.file("lib/modules/list", "".join(listed).encode())


def build(debs: list[Path], destination: Path, work: Path) -> None:
    """Makes `kernel` and `initramfs` in the destination."""
    say("building the bare image")
    tree = unpack_kernel(debs[0], work / "kernel", destination)
    busybox = unpack_busybox(debs[1], work / "busybox")
    build_agent(work / "vboard-agent")
    with (destination / "initramfs").open("xb") as file, Archive(file) as archive:
        for name in ("proc", "sys", "dev", "run", "mnt", "bin", "sbin", "usr/bin", "usr/sbin", "usr/local/bin", "etc",
                     "var/lib", "var/log"):
            archive.directory(name)
        archive.directory("tmp", 0o1777)
        archive.directory("var/tmp", 0o1777)
        archive.directory("root", 0o700)
        archive.link("var/run", "/run")
        archive.device("dev/console", 5, 1)
        archive.device("dev/null", 1, 3, 0o666)
        archive.file("bin/busybox", busybox, 0o755)
        archive.link("bin/sh", "busybox")
        archive.link("sbin/init", "../bin/busybox")
        archive.file("sbin/vboard-agent", work / "vboard-agent", 0o755)
        for path in sorted((HERE / "bare").rglob("*")):
            if path.is_file():
                mode = 0o600 if path.name == "shadow" else stat.S_IMODE(path.stat().st_mode) & 0o755 | 0o644
                archive.file(str(path.relative_to(HERE / "bare")), path, mode)
        add_modules(archive, tree, modules.BOARD)


def wait_until_up(board: object, timeout: float) -> None:
    """Waits for nothing: the agent is the last thing that the bare image starts."""

"""Images of boards in the cache: found there, or built once and kept."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from toolchain.cache import cache_directory, locked
from toolchain.failure import Failure

from . import bare_image, debian_image, packaged_image, wifi_image
from .errors import BoardError
from .guest import Guest
from .packages import Packages, need, say

HERE = Path(__file__).resolve().parent


class Kind(Protocol):
    """The parts of an image that differ from those of another one; a module may have them."""

    #: The kernel's command line.
    APPEND: str
    #: Debian's release that the packages are of.
    SUITE: str
    #: Returns the packages that the image is made of.
    packages: Any
    #: Makes the image's files of the packages' files.
    build: Any
    #: Waits until all that the image starts by itself is up.
    wait_until_up: Any


KINDS: dict[str, Kind] = {"bare": bare_image, "debian": debian_image, "wifi": wifi_image, **packaged_image.KINDS}
NAMES = tuple(KINDS)
OWN = {"bare": ["bare_image.py", "modules.py", "newc.py", "packages.py", "agent", "bare"],
       "debian": ["debian_image.py", "bare_image.py", "modules.py", "newc.py", "packages.py", "agent", "debian"]}
OWN["wifi"] = ["wifi_image.py", *OWN["debian"], "wifi"]
OWN |= {name: ["packaged_image.py", "dpkg_database.py", *OWN["debian"], "bare", *kind.overlays]
        for name, kind in packaged_image.KINDS.items()}


@dataclass(frozen=True)
class Image:
    """The files that a board starts from."""

    name: str
    directory: Path

    @property
    def kernel(self) -> Path:
        """The raw kernel."""
        return self.directory / "kernel"

    @property
    def initrd(self) -> Path:
        """The initramfs."""
        return self.directory / "initramfs"

    @property
    def root(self) -> Path | None:
        """The root file system where the image has one; without, the board lives in memory."""
        path = self.directory / "root.ext4"
        return path if path.exists() else None

    @property
    def append(self) -> str:
        """The kernel's command line."""
        return KINDS[self.name].APPEND

    def wait_until_up(self, board: Guest, timeout: float) -> None:
        """Waits until all that the image starts by itself is up."""
        KINDS[self.name].wait_until_up(board, timeout)


@dataclass(frozen=True)
class Saved:
    """A board that was saved while it ran: the state of the machine, and the disk that goes with it."""

    state: Path
    disk: Path


def store() -> Path:
    """Returns the directory of all images."""
    try:
        directory = cache_directory() / "vboard"
        directory.mkdir(exist_ok=True)
    except Failure as failure:
        raise BoardError(str(failure), remedy=failure.then) from failure
    except OSError as error:
        raise BoardError(f"the cache cannot be made: {error}", remedy="set CLEAT_CACHE") from error
    return directory


def recipe(name: str) -> str:
    """Returns a key of everything in this directory that an image is made by."""
    digest = hashlib.sha256()
    for entry in OWN[name]:
        path = HERE / entry
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(f"{file.relative_to(HERE)}\0{os.access(file, os.X_OK)}\0".encode() + file.read_bytes() + b"\0")
    return digest.hexdigest()[:12]


def find(name: str) -> Image | None:
    """Returns the newest image that the present recipe made; the network is not asked."""
    made = sorted(store().glob(f"{name}-{recipe(name)}-*"), key=lambda path: path.stat().st_mtime)
    if not made:
        return None
    with contextlib.suppress(OSError):  # a cache that may only be read serves as well
        os.utime(made[-1])
    return Image(name, made[-1])


def ensure(name: str, *, update: bool = False) -> Image:
    """Returns an image, built where there is none or, with `update`, where the mirror has newer packages."""
    if name not in NAMES:
        raise BoardError(f"there is no image {name}", remedy=f"choose one of {', '.join(NAMES)}")
    if not update and (found := find(name)):
        return found
    directory = store()
    with locked(directory / "lock"):
        if not update and (found := find(name)):
            return found
        remove_unfinished(directory)
        remove_unused(directory)
        mirror = Packages(directory, KINDS[name].SUITE)
        say(f"asking the mirror for the packages of the {name} image")
        mirror.update()
        parts = KINDS[name].packages(mirror)
        listed = [f"{part.name} {part.version} {part.sha256}" for part in parts]
        key = hashlib.sha256("\n".join(listed).encode()).hexdigest()[:12]
        target = directory / f"{name}-{recipe(name)}-{key}"
        if target.is_dir():
            return Image(name, target)
        with tempfile.TemporaryDirectory(prefix=".work-", dir=directory) as work:
            made = Path(work) / "image"
            made.mkdir()
            try:
                KINDS[name].build(mirror.fetch(parts), made, Path(work))
                (made / "packages").write_text("\n".join(listed) + "\n")
            except OSError as error:
                raise BoardError(f"the {name} image could not be built: {error}",
                                 remedy=f"free space for {directory}, or set CLEAT_CACHE") from error
            made.rename(target)
    return Image(name, target)


def remove_unfinished(directory: Path) -> None:
    """Removes the files of killed builds; called under the lock, so no other build works there."""
    for path in directory.glob(".work-*"):
        shutil.rmtree(path, ignore_errors=True)


def remove_unused(directory: Path) -> None:
    """Removes images and packages that were not used for two weeks: each change of a recipe leaves some."""
    limit = time.time() - 14 * 86400
    for path in [*directory.glob("*-*-*"), *directory.glob("debs/*.deb")]:
        if path.stat().st_mtime < limit:
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def qemu_version() -> str:
    """Returns qemu's version: a state is restored only by the qemu that saved it."""
    program = need("qemu-system-aarch64", "qemu-system-arm")
    return subprocess.run([program, "--version"], capture_output=True, text=True, timeout=60).stdout.splitlines()[0]


def ensure_saved(built: Image, memory_mib: int, processors: int, save: Callable[[Path], None]) -> Saved:
    """Returns the saved board of an image; where it is missing, `save` boots the image and writes `state` and `disk.qcow2`."""
    machine = hashlib.sha256((HERE / "machine.py").read_bytes() + qemu_version().encode()).hexdigest()[:8]
    target = built.directory / f"saved-{memory_mib}-{processors}-{machine}"
    if not target.is_dir():
        with locked(store() / "lock"):
            if not target.is_dir():
                remove_unfinished(store())
                with tempfile.TemporaryDirectory(prefix=".work-", dir=store()) as work:
                    made = Path(work) / "saved"
                    made.mkdir()
                    say(f"booting the {built.name} image once, to save it")
                    save(made)
                    made.rename(target)
    return Saved(target / "state", target / "disk.qcow2")


def clean() -> list[Path]:
    """Removes all images and packages from the cache and returns what it removed."""
    removed = []
    with locked(store() / "lock"):
        for path in store().iterdir():
            if path.name != "lock":
                shutil.rmtree(path) if path.is_dir() else path.unlink()
                removed.append(path)
    return removed


def described() -> list[str]:
    """Returns a line for each image in the cache."""
    lines = []
    for path in sorted(store().iterdir()):
        if match := re.fullmatch(rf"({'|'.join(NAMES)})-([0-9a-f]{{12}})-[0-9a-f]{{12}}", path.name):
            size = sum(file.stat().st_blocks * 512 for file in path.rglob("*") if file.is_file())
            state = "current" if match[2] == recipe(match[1]) else "of an older recipe"
            lines.append(f"{match[1]}\t{state}\t{size / 1e6:.0f} MB\t{path}")
    return lines


__all__ = ["Image", "Saved", "ensure", "ensure_saved", "find", "clean", "described"]

"""The variants of disk and guest with their expected results: promises that hold, and controls that must break."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from .checker import run
from .states import make_factory

IMAGE_BYTES = 32 << 20
PLACE = "store"
"""The directory on the disk that the writer works in."""


@dataclass(frozen=True)
class Variant:
    """One writer on one disk; `share` is its part of the cuts."""

    name: str
    what: str
    mode: str = "power"
    options: tuple[str, ...] = ()
    mount: tuple[str, ...] = ()
    control: bool = False
    share: float = 0.0

    @property
    def serves(self) -> bool:
        """True if the whole service writes, with a system that follows its settings."""
        return self.mode == "service"

    @property
    def verifier(self) -> str:
        """The mode of the verifier: the writer's, or for a service `verify-service`."""
        return "verify" if self.mode == "power" else f"verify-{self.mode}"

    @property
    def mount_options(self) -> str:
        """ext4's own flush every five seconds would hide missing flushes, so it is every five minutes."""
        return ",".join(("commit=300", *self.mount))

    def cuts(self, total: int) -> int:
        """The number of cuts of this variant."""
        return max(4, round(total * self.share))

    def promise(self, generation: int, copied: int, last: int) -> dict[str, int]:
        """The arguments of the verifier."""
        if self.mode != "power":
            return {"acknowledged": generation, "last": last}
        return {"acknowledged": generation, "copied": copied, "last": last}


VARIANTS = (
    Variant("store", "the store as the service has it", options=("copy=700", "close=no"), share=0.35),
    Variant("small-log", "the same, with a checkpoint every few commits and a clean stop",
            options=("copy=500", "frames=48"), share=0.25),
    Variant("files", "one file replaced by the durable write", mode="files", share=0.2),
    Variant("facade", "writes, appends, uploads and managed files through the facade", mode="facade", share=0.2),
)

CONTROLS = (
    Variant("no-sync", "the store with synchronous=OFF", options=("synchronous=OFF", "close=no"), control=True,
            share=0.08),
    Variant("no-barrier", "the store on a file system with barrier=0", options=("copy=500", "frames=48", "close=no"),
            mount=("barrier=0",), control=True, share=0.12),
    Variant("no-flush", "the file replaced without flushes", mode="files", options=("syncs=off",), control=True,
            share=0.08),
    Variant("facade-no-flush", "the facade without flushes", mode="facade", options=("syncs=off",), control=True,
            share=0.08),
)

APPLIES = (
    Variant("apply", "the service and a system that follows: set, tried, confirmed, aborted, rolled back",
            mode="service", share=1.0),
    Variant("apply-no-barrier", "the same on a file system with barrier=0", mode="service", mount=("barrier=0",),
            control=True, share=0.08),
)
"""Their cuts are counted separately: a service of its own checks each."""

EVERY = (*VARIANTS, *CONTROLS, *APPLIES)


def make_disk(path: Path, *, system: bool = False) -> None:
    """Makes an ext4 disk with a small journal, so that it wraps within a run; with a system in the directory `root` of
    its place, if that is wanted."""
    tree = path.with_suffix(".tree")
    (tree / PLACE).mkdir(parents=True)
    if system:
        make_factory(tree / PLACE / "root")
    try:
        with open(path, "wb") as file:
            file.truncate(IMAGE_BYTES)
        result = run(["mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-J", "size=4", "-E", "lazy_itable_init=0",
                      "-d", str(tree), str(path)])
        if result.returncode != 0:
            raise RuntimeError(f"mke2fs could not make {path}: {result.stderr.strip()}")
    finally:
        shutil.rmtree(tree)

"""What the guest writes on which disk, and what must come of it: promises that hold, and controls that must break."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .checker import run

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
    def verifier(self) -> str:
        """The mode of the writer's program that looks at what is left."""
        return "verify" if self.mode == "power" else f"verify-{self.mode}"

    @property
    def mount_options(self) -> str:
        """ext4's own flush every five seconds would rescue what nobody has flushed, so it comes every five minutes."""
        return ",".join(("commit=300", *self.mount))

    def cuts(self, total: int) -> int:
        """How many of the cuts are this variant's."""
        return max(4, round(total * self.share))

    def promise(self, generation: int, copied: int, last: int) -> dict[str, int]:
        """What the verifier is told."""
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


def make_disk(path: Path) -> None:
    """Makes an ext4 disk with a small journal, so that it wraps within a run."""
    empty = path.with_suffix(".empty")
    (empty / PLACE).mkdir(parents=True)
    try:
        with open(path, "wb") as file:
            file.truncate(IMAGE_BYTES)
        result = run(["mke2fs", "-q", "-F", "-t", "ext4", "-b", "4096", "-J", "size=4", "-E", "lazy_itable_init=0",
                      "-d", str(empty), str(path)])
        if result.returncode != 0:
            raise RuntimeError(f"mke2fs could not make {path}: {result.stderr.strip()}")
    finally:
        (empty / PLACE).rmdir()
        empty.rmdir()

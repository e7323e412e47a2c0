"""Checks the disk after a power cut: the kernel replays its journal, the store's own code reads the files."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from toolchain import children

_LIMIT = 60.0

# Everything in a mount namespace of its own: whatever happens to it, its end takes the mount and the loop device away.
_MOUNTED = """
mount -t ext4 -o loop "$1" "$2" || exit 90
mkdir -p "$2/{place}" "$3"
shift 3
"$@"
"""


@dataclass
class Finding:
    """The findings of a check; `checked` names what it has inspected, and nothing else."""

    found: int | None = None
    checked: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)
    corrupt: list[str] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """True if all holds; false if nothing was inspected."""
        return bool(self.checked) and not self.lost and not self.corrupt

    @property
    def verdict(self) -> str:
        """The worse of what was found, as one word."""
        return "corrupt" if self.corrupt else "lost" if self.lost else "ok" if self.checked else "corrupt"


class Checker:
    """Verifies images, each in a directory of its own below `work`.

    As root the running kernel mounts the image; otherwise e2fsck replays the journal and debugfs takes the files out.
    """

    def __init__(self, writer: Path, work: Path, *, mounted: bool | None = None, service: Path | None = None) -> None:
        """Takes this machine's `StoreWriter` and, for what a service has left, its `cleatd`."""
        self.writer = writer
        self.service = service
        self.work = work
        self.mounted = can_mount() if mounted is None else mounted

    @property
    def method(self) -> str:
        """The program that replays the journal, in words."""
        return "the kernel, on a loop device" if self.mounted else "e2fsck, without root"

    def check(self, image: Path, mode: str, place: str, expected: dict[str, int]) -> Finding:
        """Runs the verifier `mode` on the directory `place` of an image; the image is changed by it."""
        mount = self.work / f"{image.name}.mount"
        scratch = self.work / f"{image.name}.scratch"
        for directory in (mount, scratch):
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir()
        try:
            if not self.mounted:
                if reason := self._take_out(image, mount, place):
                    return Finding(corrupt=[reason])
            words = self._verifier(mode) + [str(mount / place)]
            words += [f"{name}={value}" for name, value in expected.items()] + [f"scratch={scratch}"]
            if self.mounted:
                script = _MOUNTED.format(place=place)
                words = ["unshare", "--mount", "--propagation", "private", "--", "/bin/sh", "-c", script, "sh",
                         str(image), str(mount), str(scratch), *words]
            return self._read(run(words))
        except subprocess.TimeoutExpired:
            return Finding(corrupt=[f"the verifier did not end within {_LIMIT:g} s"])
        finally:
            for directory in (mount, scratch):
                shutil.rmtree(directory, ignore_errors=True)

    def _verifier(self, mode: str) -> list[str]:
        if mode == "verify-service":
            return [sys.executable, "-B", str(Path(__file__).with_name("verify_service.py")), str(self.service)]
        return [str(self.writer), mode]

    def _read(self, result: subprocess.CompletedProcess[str]) -> Finding:
        if result.returncode == 90:
            return Finding(corrupt=[f"the file system cannot be mounted: {result.stderr.strip()}"])
        try:
            report = json.loads(result.stdout)
            finding = Finding(report["found"], [str(name) for name in report["checked"]])
            for problem in report["problems"]:
                (finding.lost if problem["kind"] == "lost" else finding.corrupt).append(problem["text"])
        except (ValueError, KeyError, TypeError):
            tail = (result.stdout + result.stderr).strip()[-300:]
            return Finding(corrupt=[f"the verifier ended with status {result.returncode}: {tail}"])
        if result.returncode != 0:
            finding.corrupt.append(f"the verifier ended with status {result.returncode}")
        return finding

    def _take_out(self, image: Path, target: Path, place: str) -> str | None:
        """Replays the journal and copies the files out without root; returns why that was not possible."""
        fixed = run(["e2fsck", "-fy", str(image)])
        if fixed.returncode & ~3:
            return f"e2fsck could not repair the file system: {fixed.stdout.strip()[-200:]}"
        run(["debugfs", "-R", f"rdump {place} {shlex.quote(str(target))}", str(image)])
        (target / place).mkdir(exist_ok=True)
        return None


def run(words: list[str], limit: float = _LIMIT) -> subprocess.CompletedProcess[str]:
    """Runs a program to its end; it dies with this one, and at the limit with all that it has started."""
    path = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
    return children.run(
        words, capture=True, text=True, errors="replace", env=children.environment({"PATH": path}), seconds=limit)


def can_mount() -> bool:
    """True if a loop device can be mounted here; without it the e2fsprogs do the same."""
    return os.geteuid() == 0 and os.path.exists("/dev/loop-control") and shutil.which("unshare") is not None


def sound(image: Path) -> str:
    """The output of e2fsck for an image whose journal was replayed; for the report of a failure only."""
    result = run(["e2fsck", "-fn", str(image)])
    return "the file system is sound" if result.returncode == 0 else f"e2fsck: {result.stdout.strip()[-300:]}"

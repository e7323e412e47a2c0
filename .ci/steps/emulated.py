"""The sandbox's tests for a board, with this machine's kernel below an emulated processor."""

from __future__ import annotations

import shutil

from target.building import output

from .command import title
from .native import NativeRun, ThisMachine
from .run import Run

NAME = "the sandbox under qemu-user"
EMULATORS = {"aarch64": "qemu-aarch64-static"}
#: The emulator refuses openat2, Landlock and netlink's routes; these tests do without them: the binary that runs on boards
#: takes the walk in openat2's place, on a kernel that has it.
FILTER = r"^CleatSandboxTests\.(JailTests|FileAccessTests|ManipulationTests|ListingTests|SandboxPathTests)/"


def run_emulated(run: Run, arch: str) -> None:
    """Runs them; skipped by name where this machine lacks the emulator."""
    program = EMULATORS[arch]
    if shutil.which(program) is None:
        run.skip(NAME, f"{program} is not installed (qemu-user-static)")
        return
    title(NAME)
    words = [program, str(output(arch) / "tests/cleat-tests"), "--testing-library", "swift-testing"]
    with run.timed(NAME), ThisMachine() as target:
        run.results += NativeRun(target, words, [FILTER]).run().suites("qemu-user ")

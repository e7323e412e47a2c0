"""The jail's tests for a board, with this machine's kernel below an emulated processor."""

from __future__ import annotations

import shutil
import time

from target.building import output
from target.suites import SuiteResult

from .command import title
from .native import NativeRun, ThisMachine
from .run import Run

NAME = "the jail under qemu-user"
EMULATORS = {"aarch64": "qemu-aarch64-static"}
#: What the emulator refuses (openat2, Landlock, netlink's routes) is what these do without: the walk in openat2's place
#: is taken on a kernel that has it, by the binary that runs on boards.
FILTER = r"^CleatSandboxTests\.(JailTests|FileAccessTests|ManipulationTests|ListingTests|SandboxPathTests)/"


def run_emulated(run: Run, arch: str) -> None:
    """Runs them; skipped by name where this machine lacks the emulator."""
    program = EMULATORS[arch]
    if shutil.which(program) is None:
        run.skip(NAME, f"{program} is not installed (qemu-user-static)")
        return
    title(NAME)
    start = time.monotonic()
    result = SuiteResult(NAME)
    run.results.append(result)
    words = [program, str(output(arch) / "tests/cleat-tests"), "--testing-library", "swift-testing"]
    with ThisMachine() as target:
        done = NativeRun(target, words, run.patience, filters=[FILTER]).run()
    done.add_to(result)
    result.seconds = time.monotonic() - start

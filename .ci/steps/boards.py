"""The build for boards, and the tests that run on virtual ones."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass, field

from target.building import output
from toolchain.sdk import shared_directories

from .command import Command, title
from .emulated import NAME as EMULATED
from .emulated import run_emulated
from .run import Run

ARCH = "aarch64"
BUILDING = f"programs and tests for {ARCH}"


@dataclass(frozen=True)
class Part:
    """Tests that run on a board of their own."""

    name: str
    #: The words that choose them for `cross/test`.
    words: tuple[str, ...]

    @property
    def step(self) -> str:
        """The name of the step that runs them."""
        return f"on the board: {self.name}"


SYSTEM = Part("system", ("--suite", "system", "--quick"))
MODULES = Part("modules", ("--suite", "units", "--filter", r"^(?!SystemTests\.)"))
PROGRAMS = Part("programs", ("--suite", "units", "--filter", r"^SystemTests\."))
#: A fixed seed: each run cuts the power at the same places of what the board has written.
POWER = Part("power", ("--suite", "power", "--power", "--quick --seed 1"))
#: The parts of one lane run one after the other. An emulated processor keeps one of this machine's busy for less than two
#: thirds of its time, so there are more lanes than this machine has processors.
LANES = ((PROGRAMS,), (SYSTEM,), (MODULES, POWER))
PARTS = tuple(part for lane in LANES for part in lane)


@dataclass
class Lane:
    """Parts that run one after the other, next to other lanes."""

    run: Run
    parts: tuple[Part, ...]
    ended: list[tuple[Part, Command, int | None]] = field(default_factory=list)

    def start(self) -> threading.Thread:
        """Starts them and returns the thread that waits for their end."""
        thread = threading.Thread(target=self._work, daemon=True)
        thread.start()
        return thread

    def _work(self) -> None:
        for part in self.parts:
            command = self.run.start(words(self.run, part), show=False)
            self.ended.append((part, command, self.run.wait(part.step, command)))


def words(run: Run, part: Part) -> list[str]:
    """Returns the command that runs a part with the programs of the tests' own build."""
    return ["cross/test", "vboard", "--image", "bare", *part.words, "--no-build", "--programs", str(output(ARCH) / "tests"),
            "--json", str(run.directory / f"{part.name}.json")]


def start_build(run: Run) -> Command | None:
    """Installs what the build for boards takes and starts it; returns None, and skips the parts, where that is missing."""
    title("packages for boards")
    if run.wait("packages", run.start([".ci/setup", "cross"])) != 0:
        print("not all packages could be installed; steps that need them are skipped below", flush=True)
    choose_sdk()
    if not run.step("the SDK", ["cross/sdk", ARCH], lacks=True):
        skip(run, "there is no SDK for boards")
        return None
    # Next to what is done for this machine, which has time limits and is waited for first.
    return run.start(["nice", "-n", "5", "cross/build-tests", ARCH], show=False)


def run_boards(run: Run, building: Command, meanwhile: Callable[[Run], None]) -> None:
    """Waits for the build and runs the tests on virtual boards; on this machine, meanwhile, those that need none."""
    title(BUILDING)
    if not run.finish(BUILDING, building, lacks=True):
        skip(run, f"there are no {BUILDING}")
        meanwhile(run)
        return
    lanes = []
    if run.step("image of the board", ["cross/vboard/images", "bare"], lacks=True):
        lanes = [Lane(run, parts) for parts in LANES]
    else:
        skip(run, "there is no image of the board", emulated=False)
    threads = [lane.start() for lane in lanes]
    run_emulated(run, ARCH)
    meanwhile(run)
    for thread in threads:
        thread.join()
    for part, command, status in (one for lane in lanes for one in lane.ended):
        title(part.step)
        print(command.log.read_text(encoding="utf-8"), flush=True)
        run.add_suites(part.step, command, status, run.directory / f"{part.name}.json")


def choose_sdk() -> None:
    """Takes the SDK next to the repository where there is one and none was given: the same one in each run, and without
    the network."""
    if "CLEAT_SWIFT_SDK" in os.environ:
        return
    for directory in shared_directories():
        archives = sorted(directory.glob("*.artifactbundle.tar.*")) + sorted(directory.glob("*.artifactbundle.zip"))
        if len(archives) == 1:
            os.environ["CLEAT_SWIFT_SDK"] = str(archives[0])
            return


def skip(run: Run, why: str, *, emulated: bool = True) -> None:
    """Counts the parts for boards as skipped, each by name."""
    for part in PARTS:
        run.skip(part.step, why)
    if emulated:
        run.skip(EMULATED, why)


def test_tools(run: Run, *options: str) -> None:
    """Tests the tools for boards themselves."""
    title("tests of the tools for boards")
    told = run.directory / "tools.json"
    command = run.start(["python3", "-B", ".ci/steps/harness.py", str(told), *options])
    run.add_suites("tools for boards", command, run.wait("tests of the tools for boards", command), told)

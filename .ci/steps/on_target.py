"""What is built for boards, and the tests that run there."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass

from target.suites import SuiteResult
from toolchain.sdk import shared_directories

from .command import Command, title
from .emulated import run_emulated
from .run import Run, ending

ARCH, BESIDE = "aarch64", "x86_64"
#: A fixed seed: each run cuts the power in the same places of what the board has written.
SEED, CUTS, CYCLES = 1, 200, 5


@dataclass(frozen=True)
class Part:
    """What runs on a board of its own."""

    name: str
    #: The words that choose it for `cross/test`.
    words: tuple[str, ...]

    @property
    def step(self) -> str:
        """The name of the step that runs it."""
        return f"on the board: {self.name}"


#: All that there is runs each time: what needs the two programs alone as soon as they are built; the tests of the
#: modules on one board, and those that start the programs, which take as long, on a second; the power cuts once nothing
#: is built any more.
SYSTEM = Part("system", ("--suite", "system"))
MODULES = Part("units of the modules", ("--suite", "units", "--filter", r"^(?!SystemTests\.)"))
PROGRAMS = Part("units of the programs", ("--suite", "units", "--filter", r"^SystemTests\."))
POWER = Part("power", ("--suite", "power"))
PARTS = (SYSTEM, MODULES, PROGRAMS, POWER)
#: Seconds for the suites of one board together. `cross/test` ends itself then and tells what it was doing; the grace on
#: top is for one that does not.
BOARD_LIMIT, BOARD_GRACE = 1500, 90


def run_on_target(run: Run) -> None:
    """Builds for both architectures, runs the tests on the bare image, cuts the power, tests the harness itself."""
    title("packages for boards")
    # What could not be installed is named by the steps that miss it.
    installed = run.wait("packages", run.start([".ci/setup", "cross"], limit=900))
    if installed != 0:
        print("not everything could be installed; what needs it is skipped below", flush=True)
    choose_sdk()
    boards: list[Board] = []
    if run.step("the SDK", ["cross/sdk", ARCH], limit=300, lacks=True):
        boards = start_boards(run)
        run.step(f"static binaries for {BESIDE}", ["cross/build", BESIDE], limit=1200, lacks=True)
    else:
        for name in (f"static binaries for {ARCH}", f"static binaries for {BESIDE}", *(part.step for part in PARTS)):
            run.skip(name, "there is no SDK")
    start_last(run, boards)
    test_harness(run)
    for board in boards:
        finish_board(run, board)


def choose_sdk() -> None:
    """Takes the bundle beside the repository where there is one and none was given: the same one in each run, and
    without the network."""
    if "CLEAT_SWIFT_SDK" in os.environ:
        return
    for directory in shared_directories():
        archives = sorted(directory.glob("*.artifactbundle.tar.*")) + sorted(directory.glob("*.artifactbundle.zip"))
        if len(archives) == 1:
            os.environ["CLEAT_SWIFT_SDK"] = str(archives[0])
            return


@dataclass(frozen=True)
class Board:
    """A board on which tests are running."""

    part: Part
    command: Command


def start_boards(run: Run) -> list[Board]:
    """Builds what boards need, and starts the tests there beside what comes next."""
    # The image first: it takes seconds, and says early what is missing.
    image = run.step("image of the bare board", ["cross/vboard/images", "bare"], limit=600, lacks=True)
    if not image:
        skip(run, PARTS, "there is no image of the board")
    # The tests beside the programs, with what those leave: optimising at link time keeps one processor busy for minutes.
    tests = run.begin(f"tests for {ARCH}", ["nice", "-n", "10", "cross/build-tests", ARCH], limit=1500)
    programs = run.step(f"static binaries for {ARCH}", ["cross/build", ARCH], limit=1500, lacks=True)
    if image and not programs:
        skip(run, PARTS, f"there are no static binaries for {ARCH}")
    boards = [start_board(run, SYSTEM)] if image and programs else []
    if run.finish(tests, lacks=True):
        run_emulated(run, ARCH)
        boards += [start_board(run, part) for part in (MODULES, PROGRAMS) if boards]
    elif boards:
        skip(run, (MODULES, PROGRAMS, POWER), f"there are no tests for {ARCH}")
    return boards


def skip(run: Run, parts: tuple[Part, ...], why: str) -> None:
    """Tells by name what does not run on a board, and why."""
    for part in parts:
        run.skip(part.step, why)


def start_last(run: Run, boards: list[Board]) -> None:
    """Starts what comes last on a board of its own, where what it needs is there."""
    if any(board.part == PROGRAMS for board in boards):
        boards.append(start_board(run, POWER))


def start_board(run: Run, part: Part) -> Board:
    """Starts a board and a part of the tests on it; what they say comes when they are finished."""
    limit = max(1.0, min(BOARD_LIMIT * run.patience, run.left - BOARD_GRACE))
    return Board(part, run.start(
        ["cross/test", "vboard", "--image", "bare", *part.words, "--no-build", "--cuts", str(CUTS), "--cycles", str(CYCLES),
         "--seed", str(SEED), "--limit", f"{limit:.0f}", "--json", str(run.directory / f"{part.name}.json")],
        limit=BOARD_LIMIT + BOARD_GRACE, show=False))


def finish_board(run: Run, board: Board) -> None:
    """Waits for a board's tests, and shows and counts what came of them."""
    title(board.part.step)
    status = run.wait(board.part.step, board.command)
    print(board.command.log.read_text(encoding="utf-8"), flush=True)
    take_suites(run, board.part.name, board.command, status)


def test_harness(run: Run) -> None:
    """Tests the tools for boards themselves."""
    title("tests of the tools for boards")
    command = run.start(
        ["python3", "-B", ".ci/steps/harness.py", str(run.directory / "harness.json")], limit=1200)
    take_suites(run, "harness", command, run.wait("tests of the tools for boards", command))


def take_suites(run: Run, name: str, command: Command, status: int | None) -> None:
    """Adds what a command has written about its suites; one that told less than it did counts as a failure."""
    told = run.directory / f"{name}.json"
    suites = [SuiteResult.from_json(suite) for suite in json.loads(told.read_text())["suites"]] if told.exists() else []
    run.results += suites
    if status == 0 and suites:
        return
    if status != 1 or not any(suite.failed for suite in suites):
        run.fail(name, f"{ending(command, status)}\n{command.tail}")

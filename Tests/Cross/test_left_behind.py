"""Whatever ends a program of cross/, nothing that it has started outlives it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from boards import LACKS, ROOT  # noqa: E402
from left_behind import descendants, end_in_the_middle, held_directories  # noqa: E402
from toolchain import children  # noqa: E402
from toolchain.scratch import Scratch  # noqa: E402

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)

#: Starts the program of its arguments after the first, from a thread that ends, and waits.
PARENT = """
import sys, threading
sys.path.insert(0, sys.argv[1])
from toolchain import children
from toolchain.failure import run_main
def main():
    if sys.argv[2] == "run":
        children.run(sys.argv[3:])
    else:
        thread = threading.Thread(target=lambda: children.start(sys.argv[3:]))
        thread.start(); thread.join()
        sys.stdin.read()
run_main(main)
"""


class ChildrenTests(unittest.TestCase):
    """Child processes, and theirs."""

    def test_a_child_dies_with_its_parent_not_with_the_thread_that_started_it(self) -> None:
        for number in SIGNALS:
            with self.subTest(number), tempfile.TemporaryDirectory() as place:
                sign = Path(place, "sign")
                run = subprocess.Popen(
                    [sys.executable, "-c", PARENT, str(ROOT / "cross"), "start", "sh", "-c",
                     f"sleep 0.2; : >{sign}; exec sleep 600"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                end_in_the_middle(self, run, number, sign.exists)

    def test_a_group_dies_with_its_parent(self) -> None:
        for number in SIGNALS:
            with self.subTest(number), tempfile.TemporaryDirectory() as place:
                sign = Path(place, "sign")
                run = subprocess.Popen(
                    [sys.executable, "-c", PARENT, str(ROOT / "cross"), "run", "sh", "-c",
                     f"trap '' TERM INT; sh -c 'sleep 600 & sleep 600 & : >{sign}; wait' & wait; sleep 600"],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
                end_in_the_middle(self, run, number, sign.exists)

    def test_run_is_as_subprocess_run(self) -> None:
        done = children.run(["sh", "-c", "cat; echo err >&2; exit 7"], input="in", capture=True, text=True)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (7, "in", "err\n"))
        self.assertEqual(children.run(["sh", "-c", "kill -9 $$"]).returncode, 137)
        self.assertEqual(children.run(["cat"], capture=True).stdout, b"", "without input there is an end at once")
        with self.assertRaisesRegex(FileNotFoundError, "no such-program on PATH"):
            children.run(["such-program"])

    def test_the_limit_ends_the_group(self) -> None:
        before = descendants()
        with self.assertRaises(subprocess.TimeoutExpired):
            children.run(["sh", "-c", "trap '' TERM; sleep 600 & wait; sleep 600"], seconds=0.5, grace=0.5, capture=True)
        self.assertEqual(descendants() - before, set())

    def test_a_child_may_end_in_order(self) -> None:
        child = children.start(["sh", "-c", "trap 'echo ended; exit 3' TERM; echo ready; while :; do sleep 0.1; done"],
                               group=True, stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        self.assertEqual(child.stdout.readline(), "ready\n")
        self.assertEqual(children.stop(child, grace=20), 3)
        self.assertEqual(child.stdout.read(), "ended\n")
        child.stdout.close()


class ScratchTests(unittest.TestCase):
    """Directories of a run."""

    def setUp(self) -> None:
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.place = Path(place.name)

    def age(self, path: Path) -> None:
        """Makes a directory older than those that were just made."""
        os.utime(path, (time.time() - 3600,) * 2)

    def test_an_abandoned_directory_is_removed_and_one_in_use_stays(self) -> None:
        used = Scratch("cleat-board-", self.place)
        self.addCleanup(used.close)
        left, fresh, other = (self.place / name for name in ("cleat-board-left", "cleat-board-fresh", "somebodys"))
        for path in (left, fresh, other):
            path.mkdir()
            (path / "file").write_text("")
        for path in (used.path, left, other):
            self.age(path)
        with Scratch("cleat-board-", self.place) as mine:
            self.assertEqual({path.name for path in self.place.iterdir()}, {used.path.name, mine.name, "cleat-board-fresh",
                                                                            "somebodys"})
        self.assertFalse(mine.exists())

    def test_it_is_removed_with_the_process_and_after_a_kill_with_the_next(self) -> None:
        script = ("import sys; sys.path.insert(0, sys.argv[1])\nfrom toolchain.scratch import Scratch\n"
                  "kept = Scratch('cleat-board-', sys.argv[2]); print('made', flush=True); sys.stdin.read()\n")
        for killed in (False, True):
            with subprocess.Popen([sys.executable, "-c", script, str(ROOT / "cross"), str(self.place)],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE) as run:
                assert run.stdout is not None and run.stdin is not None
                run.stdout.readline()
                if killed:
                    run.kill()
                run.stdin.close()
                run.wait(20)
            left = list(self.place.iterdir())
            self.assertEqual(len(left), killed)
        self.age(left[0])
        Scratch("cleat-board-", self.place).close()
        self.assertEqual(list(self.place.iterdir()), [])

    def test_a_link_is_not_followed(self) -> None:
        precious = self.place / "precious"
        precious.mkdir()
        (self.place / "cleat-board-link").symlink_to(precious)
        self.age(precious)
        Scratch("cleat-board-", self.place).close()
        self.assertTrue(precious.exists())


class RunTests(unittest.TestCase):
    """Whole runs of the tools."""

    def hanging(self, place: str) -> None:
        """Writes an agent that never becomes ready: the run is in the middle of a test as long as it takes."""
        for name in ("cleatd", "cleat"):
            program = Path(place, name)
            program.write_text(f"#!/bin/sh\n[ ! -d {place} ] || : >{place}/started\nexec sleep 600.{os.getpid()}\n")
            program.chmod(0o755)

    def test_a_run_on_this_machine(self) -> None:
        for number in SIGNALS:
            with self.subTest(number), tempfile.TemporaryDirectory() as place:
                self.hanging(place)
                run = subprocess.Popen(
                    [ROOT / "cross/test", "local", "--suite", "system", "--no-build", "--programs", place,
                     "--filter", "it_starts_and_stops"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                end_in_the_middle(self, run, number, Path(place, "started").exists)

    @unittest.skipIf(LACKS, f"no virtual board: {LACKS}")
    def test_a_run_on_a_board(self) -> None:
        for number in SIGNALS:
            with self.subTest(number), tempfile.TemporaryDirectory() as place:
                self.hanging(place)
                with open(Path(place, "said"), "wb") as said:
                    run = subprocess.Popen(
                        [ROOT / "cross/test", "vboard", "--suite", "system", "--no-build", "--programs", place,
                         "--filter", "it_starts_and_stops"], stdout=subprocess.PIPE, stderr=said,
                        env={**os.environ, "TMPDIR": place})

                def up() -> bool:
                    return "is up after" in Path(place, "said").read_text()

                end_in_the_middle(self, run, number, up)
                left = {path.name.rsplit("-", 1)[0] for path in Path(place).iterdir() if path.is_dir()}
                # After a SIGKILL the next run removes them.
                self.assertEqual(left, {"cleat-board", "cleat-disk"} if number == signal.SIGKILL else set())

    @unittest.skipIf(LACKS, f"no virtual board: {LACKS}")
    def test_the_person_s_board(self) -> None:
        for number in SIGNALS:
            with self.subTest(number), tempfile.TemporaryDirectory() as place:
                run = subprocess.Popen(
                    [ROOT / "cross/vboard/board", "run", "--", f"echo there; exec sleep 600.{os.getpid()}"],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": place})
                assert run.stdout is not None
                stdout = run.stdout
                end_in_the_middle(self, run, number, lambda: bool(select.select([stdout], [], [], 0)[0]))
                self.assertEqual(bool(list(Path(place).iterdir())), number == signal.SIGKILL)

    def test_nothing_is_held_by_this_process(self) -> None:
        self.assertEqual(held_directories(), set())


if __name__ == "__main__":
    unittest.main()

"""What `.ci/test` is made of: a run ends within its limits, says what failed or was skipped, and counts it."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "cross"), str(REPOSITORY / ".ci")]

from steps import emulated, on_target  # noqa: E402
from steps.command import Command, descendants  # noqa: E402
from steps.on_target import take_suites  # noqa: E402
from steps.run import Run  # noqa: E402
from target.limits import TestLimit  # noqa: E402
from target.suites import Collector, SuiteResult  # noqa: E402


class Quiet(unittest.TestCase):
    """Keeps what a run prints."""

    def setUp(self) -> None:
        self.printed = io.StringIO()
        self.enterContext(contextlib.redirect_stdout(self.printed))
        self.run_ = Run()
        self.addCleanup(self.run_.end)

    def sum(self) -> str:
        """The last line."""
        return self.run_.report()[-1]


class CommandTests(Quiet):
    def test_a_command_that_hangs_is_ended_with_all_that_it_started(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            pids = Path(place, "pids")
            # One of them has left the group, and none takes SIGTERM for an answer.
            words = ["sh", "-c", f"trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ >{pids}; sleep 600; sleep 600' & "
                     f"while [ ! -s {pids} ]; do :; done; echo begun; sleep 600; sleep 600"]
            command = Command(words, limit=5, log=Path(place, "log"))
            import steps.command as module

            module.GRACE, grace = 1, module.GRACE
            self.addCleanup(setattr, module, "GRACE", grace)
            self.assertIsNone(command.wait())
            self.assertTrue(command.timed_out)
            self.assertEqual(command.tail, "begun")
            left = int(pids.read_text())
            deadline = time.monotonic() + 30
            while left in descendants(left) and time.monotonic() < deadline:
                time.sleep(0.05)
            self.assertEqual(descendants(left), {}, "what had left the group is still there")

    def test_its_output_is_kept_and_its_status_told(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            command = Command(["sh", "-c", "echo one; echo two >&2; exit 3"], limit=60, log=Path(place, "log"), show=False)
            self.assertEqual(command.wait(), 3)
            self.assertEqual(command.log.read_text(), "one\ntwo\n")
            self.assertEqual(self.printed.getvalue(), "")


    def test_its_time_ends_with_it(self) -> None:
        command = self.run_.start(["true"], limit=60)
        command._child.wait(60)
        command._reader.join(60)
        seconds = command.seconds
        self.assertEqual(self.run_.wait("a step", command), 0)
        self.assertEqual(self.run_.times, [("a step", seconds)], "however late somebody asks for it")


class BoardTests(Quiet):
    """What is started on a board, and what is said of the parts that are not."""

    def started(self, *lacking: str) -> list[str]:
        """The parts that are started where the steps with such words in their names do not go well."""
        def begin(name: str, words: list[str], **_: object) -> tuple[str, object]:
            return name, words

        def finish(begun: tuple[str, object], **_: object) -> bool:
            return not any(word in begun[0] for word in lacking)

        with (mock.patch.object(self.run_, "begin", begin), mock.patch.object(self.run_, "finish", finish),
              mock.patch.object(on_target, "run_emulated"), mock.patch.object(self.run_, "start")):
            boards = on_target.start_boards(self.run_)
            on_target.start_last(self.run_, boards)
            return [board.part.name for board in boards]

    def skipped(self) -> list[str]:
        """The names of what was skipped."""
        return [result.name for result in self.run_.results if result.skipped]

    def test_every_part_runs(self) -> None:
        self.assertEqual(self.started(), [part.name for part in on_target.PARTS])
        self.assertEqual(self.skipped(), [])

    def test_every_test_belongs_to_one_part(self) -> None:
        chosen = [[re.compile(word) for word in part.words if "SystemTests" in word]
                  for part in (on_target.MODULES, on_target.PROGRAMS)]
        for name in ("SystemTests.LifeCycleTests/starts()", "CleatStoreTests.FaultTests/systemTests()", "CleatTests.A/b()"):
            self.assertEqual(sum(any(pattern.search(name) for pattern in patterns) for patterns in chosen), 1, name)

    def test_without_an_image_or_binaries_all_are_skipped(self) -> None:
        for lacking in ("image", "binaries"):
            self.assertEqual(self.started(lacking), [])
            self.assertEqual(self.skipped(), [part.step for part in on_target.PARTS])
            self.run_.results.clear()

    def test_without_the_tests_programs_the_system_is_tested(self) -> None:
        self.assertEqual(self.started("tests for"), ["system"])
        self.assertEqual(self.skipped(), [part.step for part in on_target.PARTS[1:]])


class StepTests(Quiet):
    def test_one_that_goes_well_counts_for_nothing(self) -> None:
        self.assertTrue(self.run_.step("a step", ["true"], limit=60))
        self.assertEqual(self.sum(), "0 passed, 0 failed, 0 skipped")
        self.assertFalse(self.run_.passed, "a run in which no test ran has not passed")

    def test_one_that_fails_is_told_with_what_it_said(self) -> None:
        self.assertFalse(self.run_.step("a step", ["sh", "-c", "echo the reason >&2; exit 3"], limit=60))
        self.assertIn("the reason", "\n".join(self.run_.report()))
        self.assertIn("ended with status 3", "\n".join(self.run_.report()))
        self.assertEqual(self.sum(), "0 passed, 1 failed, 0 skipped")

    def test_one_that_takes_too_long_fails(self) -> None:
        self.assertFalse(self.run_.step("a step", ["sleep", "600"], limit=0.5))
        self.assertIn("did not end within 0 s and was ended", "\n".join(self.run_.report()).replace("0.5", "0"))

    def test_a_missing_part_is_skipped_by_name_where_that_may_be_and_fails_elsewhere(self) -> None:
        words = ["sh", "-c", "echo 'sdk: error: there is no SDK'; echo '  set it'; exit 69"]
        self.assertFalse(self.run_.step("the SDK", words, limit=60, lacks=True))
        self.assertIn("skipped the SDK: the SDK: there is no SDK", self.run_.report())
        self.assertEqual(self.sum(), "0 passed, 0 failed, 1 skipped")
        self.assertFalse(self.run_.step("another", words, limit=60))
        self.assertEqual(self.sum(), "0 passed, 1 failed, 1 skipped")

    def test_without_an_emulator_the_jail_is_skipped_by_name(self) -> None:
        with mock.patch.dict(emulated.EMULATORS, aarch64="qemu-of-nobody"):
            emulated.run_emulated(self.run_, "aarch64")
        self.assertIn("skipped the jail under qemu-user: the jail under qemu-user: qemu-of-nobody is not installed "
                      "(qemu-user-static)", self.run_.report())
        self.assertEqual(self.sum(), "0 passed, 0 failed, 1 skipped")

    def test_the_time_of_the_run_bounds_each_step(self) -> None:
        run = Run(total=1)
        self.addCleanup(run.end)
        start = time.monotonic()
        self.assertFalse(run.step("a step", ["sleep", "600"], limit=600))
        self.assertFalse(run.step("the next", ["sleep", "600"], limit=600))
        self.assertLess(time.monotonic() - start, 120)
        self.assertEqual(run.report()[-1], "0 passed, 2 failed, 0 skipped")

    def test_steps_run_beside_each_other(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            # Neither ends before the other has begun.
            pipe = Path(place, "pipe")
            os.mkfifo(pipe)
            first = self.run_.begin("the first", ["sh", "-c", f"echo gone >{pipe}; exit 3"], limit=60)
            self.assertTrue(self.run_.step("the second", ["cat", str(pipe)], limit=60))
            self.assertFalse(self.run_.finish(first))
        self.assertEqual([name for name, _ in self.run_.times], ["the second", "the first"])
        self.assertEqual(self.sum(), "0 passed, 1 failed, 0 skipped")

    def test_what_runs_beside_is_ended_with_the_run(self) -> None:
        command = self.run_.start(["sleep", "600"], limit=600)
        process = next(iter(descendants(command._child.pid)))
        self.run_.end()
        self.assertEqual(descendants(process), {})


class SuiteTests(Quiet):
    def told(self, suites: list[SuiteResult], status: int) -> str:
        """The last line after a command that has told of these suites and ended with this status."""
        if suites:
            (self.run_.directory / "board.json").write_text(json.dumps({"suites": [suite.json() for suite in suites]}))
        command = self.run_.start(["sh", "-c", f"exit {status}"], limit=60)
        take_suites(self.run_, "board", command, self.run_.wait("board", command))
        return self.sum()

    def test_suites_are_added_up(self) -> None:
        suites = [SuiteResult("a", 3, [], [("x", "why")], 1.5, [("memory", "1 MB", "2 MB")]), SuiteResult("b", 4)]
        self.assertEqual(self.told(suites, 0), "7 passed, 0 failed, 1 skipped")
        self.assertTrue(self.run_.passed)
        self.assertEqual(self.run_.results[0], suites[0])

    def test_a_failure_counts_once(self) -> None:
        self.assertEqual(self.told([SuiteResult("a", 3, [("x", "said")])], 1), "3 passed, 1 failed, 0 skipped")

    def test_one_that_tells_nothing_or_dies_fails(self) -> None:
        self.assertEqual(self.told([], 0), "0 passed, 1 failed, 0 skipped")
        self.assertEqual(self.told([SuiteResult("a", 3)], 137), "3 passed, 2 failed, 0 skipped")
        self.assertEqual(self.told([SuiteResult("a", 3)], 69), "6 passed, 3 failed, 0 skipped")


class LimitTests(unittest.TestCase):
    def test_a_test_that_hangs_fails_by_name_and_the_next_one_runs(self) -> None:
        self.addCleanup(signal.signal, signal.SIGALRM, signal.getsignal(signal.SIGALRM))

        class Hanging(unittest.TestCase):
            def test_a(self) -> None:
                os.read(os.pipe()[0], 1)

            def test_b(self) -> None:
                pass

        result = SuiteResult("some")
        unittest.TestLoader().loadTestsFromTestCase(Hanging).run(Collector(result, lambda line: None, TestLimit(0.5)))
        self.assertEqual(result.passed, 1)
        (name, said), = result.failed
        self.assertIn("test_a", name.replace("Hanging.a", "Hanging.test_a"))
        self.assertIn("the test did not end within", said)


if __name__ == "__main__":
    unittest.main()

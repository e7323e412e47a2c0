"""Tests of `.ci/test`: a run ends steps without progress, and reports and counts failed, interrupted and skipped tests."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "cross"), str(REPOSITORY / ".ci"), str(Path(__file__).resolve().parent)]

from steps import boards, changes, emulated, run  # noqa: E402
from steps.command import Command, descendants  # noqa: E402
from steps.run import Run  # noqa: E402
from left_behind import is_running, wait_for_end  # noqa: E402
from target.limits import TestLimit  # noqa: E402
from target.suites import Collector, SuiteResult  # noqa: E402


class Quiet(unittest.TestCase):
    """Keeps what a run prints."""

    def setUp(self) -> None:
        self.printed = io.StringIO()
        self.enterContext(contextlib.redirect_stdout(self.printed))
        self.place = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(run, "SKIPPED", self.place / "skipped.txt"))
        self.enterContext(mock.patch.object(run, "TIMES", self.place / "times.md"))
        self.run_ = Run()
        self.addCleanup(self.run_.end)

    def sum(self) -> str:
        """The last line."""
        return self.run_.report()[-1]


class CommandTests(Quiet):
    def test_a_command_that_hangs_is_ended_with_all_that_it_started(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            pids = Path(place, "pids")
            # One of them has left the group, and none takes SIGTERM for an answer. The shell's own report of a child that
            # ends before it is dropped.
            words = ["sh", "-c", f"exec 2>/dev/null; trap '' TERM; setsid sh -c 'trap \"\" TERM; echo $$ >{pids}; sleep 600; sleep 600' & "
                     f"while [ ! -s {pids} ]; do :; done; echo begun; sleep 600; sleep 600"]
            command = Command(words, silence=5, log=Path(place, "log"))
            import steps.command as module

            module.GRACE, grace = 1, module.GRACE
            self.addCleanup(setattr, module, "GRACE", grace)
            self.assertIsNone(command.wait())
            # A busy machine may notice it later.
            self.assertRegex(command.interrupted or "", r"^no output for \d+ s; last output: begun; running: .*sleep 600")
            self.assertGreaterEqual(int((command.interrupted or "").split()[3]), 5)
            self.assertEqual(command.tail, "begun")
            left = int(pids.read_text())
            wait_for_end([left], 30)
            self.assertFalse(is_running(left), "what had left the group is still there")

    def test_its_output_is_kept_and_its_status_reported(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            command = Command(["sh", "-c", "echo one; echo two >&2; exit 3"], log=Path(place, "log"), show=False)
            self.assertEqual((command.wait(), command.interrupted), (3, None))
            self.assertEqual(command.log.read_text(), "one\ntwo\n")
            self.assertEqual(self.printed.getvalue(), "")

    def test_one_that_makes_progress_is_never_ended(self) -> None:
        words = ["sh", "-c", "for n in 1 2 3 4 5 6 7 8; do echo $n; sleep 0.5; done"]
        command = Command(words, silence=2, log=self.place / "log", show=False)
        self.assertEqual((command.wait(), command.interrupted), (0, None), "it took twice as long as it may be silent")

    def test_its_time_ends_with_it(self) -> None:
        command = self.run_.start(["true"])
        command._child.wait(60)
        command._reader.join(60)
        seconds = command.seconds
        self.assertEqual(self.run_.wait("a step", command), 0)
        self.assertEqual(self.run_.times, [("a step", seconds)], "however late it is read")


class BoardTests(Quiet):
    """Tests of the parts that run on boards, and of the reports about skipped ones."""

    def setUp(self) -> None:
        super().setUp()
        #: One element for each time that the tests that need no board ran.
        self.rest: list[Run] = []

    def started(self, *lacking: str) -> list[str]:
        """The parts that are started where the steps with such words in their names do not succeed."""
        done: list[str] = []

        def step(name: str, *_: object, **__: object) -> bool:
            return not any(word in name for word in lacking)

        def work(lane: boards.Lane) -> None:
            done.extend(part.name for part in lane.parts)

        with (mock.patch.object(self.run_, "step", step), mock.patch.object(self.run_, "finish", step),
              mock.patch.object(boards, "run_emulated"),
              mock.patch.object(boards.Lane, "_work", work), mock.patch.object(self.run_, "start"),
              mock.patch.object(self.run_, "wait", return_value=0), mock.patch.object(boards, "choose_sdk")):
            if building := boards.start_build(self.run_):
                boards.run_boards(self.run_, building, lambda run: self.rest.append(run))
        return sorted(done)

    def skipped(self) -> list[str]:
        """The names of what was skipped."""
        return [result.name for result in self.run_.results if result.skipped]

    def test_every_part_runs(self) -> None:
        self.assertEqual(self.started(), sorted(part.name for part in boards.PARTS))
        self.assertEqual(self.skipped(), [])

    def test_steps_that_lack_a_part_are_skipped_by_name(self) -> None:
        parts = [part.step for part in boards.PARTS]
        for lacking, skipped in (("image", parts), ("SDK", [*parts, emulated.NAME]), ("programs", [*parts, emulated.NAME])):
            self.assertEqual(self.started(lacking), [])
            self.assertEqual(self.skipped(), skipped)
            self.assertEqual(len(self.rest), 0 if lacking == "SDK" else 1)
            self.rest.clear()
            self.run_.results.clear()

    def test_the_parts_of_a_lane_run_one_after_the_other(self) -> None:
        order = self.place / "order"
        with mock.patch.object(boards, "words", lambda run, part: ["sh", "-c", f"echo {part.name} >>{order}; exit 1"]):
            lane = boards.Lane(self.run_, boards.LANES[-1])
            lane.start().join(60)
        self.assertEqual(order.read_text().split(), [part.name for part in boards.LANES[-1]])
        self.assertEqual([status for _, _, status in lane.ended], [1, 1], "the second ran although the first failed")


class StepTests(Quiet):
    def test_a_successful_step_is_not_counted(self) -> None:
        self.assertTrue(self.run_.step("a step", ["true"]))
        self.assertEqual(self.sum(), "0 passed, 0 failed, 0 skipped")
        self.assertFalse(self.run_.passed, "a run in which no test ran has not passed")

    def test_the_minutes_of_each_part_are_a_table(self) -> None:
        self.run_.times = [("build", 90)]
        with self.run_.timed("tests on this machine"):
            pass
        self.run_.results = [SuiteResult("StoreTests", passed=3, seconds=120), SuiteResult("tiny", passed=1, seconds=0.5)]
        self.assertEqual(self.run_.table(300), [
            "| part | minutes |", "|---|---:|", "| build | 1.5 |", "| tests on this machine | 0.0 |",
            "| suite StoreTests | 2.0 |", "| the whole run | 5.0 |"])
        self.run_.report()
        self.assertIn("| build | 1.5 |", (self.place / "times.md").read_text())

    def test_a_failed_step_is_reported_with_its_output(self) -> None:
        self.assertFalse(self.run_.step("a step", ["sh", "-c", "echo the reason >&2; exit 3"]))
        self.assertIn("the reason", "\n".join(self.run_.report()))
        self.assertIn("ended with status 3", "\n".join(self.run_.report()))
        self.assertEqual(self.sum(), "0 passed, 1 failed, 0 skipped")

    def test_one_that_makes_no_progress_is_interrupted_and_is_no_failed_test(self) -> None:
        run = Run(silence=0.5)
        self.addCleanup(run.end)
        self.assertFalse(run.step("a step", ["sh", "-c", "echo compiling; sleep 600"]))
        report = "\n".join(run.report())
        self.assertIn("INTERRUPTED a step: sh -c echo compiling; sleep 600", report)
        self.assertRegex(report, "no output for [0-9]+ s; last output: compiling; running: sleep 600")
        self.assertEqual(run.report()[-2:], [
            "1 interrupted: what they would have tested is not known", "0 passed, 0 failed, 0 skipped"])
        self.assertFalse(run.passed)

    def test_a_missing_part_is_skipped_by_name_where_that_may_be_and_fails_elsewhere(self) -> None:
        words = ["sh", "-c", "echo 'sdk: error: there is no SDK'; echo '  set it'; exit 69"]
        self.assertFalse(self.run_.step("the SDK", words, lacks=True))
        self.assertIn("     1  there is no SDK", self.run_.report())
        self.assertEqual((self.place / "skipped.txt").read_text(), "the SDK\tthe SDK\tthere is no SDK\n")
        self.assertEqual(self.sum(), "0 passed, 0 failed, 1 skipped")
        self.assertFalse(self.run_.step("another", words))
        self.assertEqual(self.sum(), "0 passed, 1 failed, 1 skipped")

    def test_without_an_emulator_the_sandbox_is_skipped_by_name(self) -> None:
        with mock.patch.dict(emulated.EMULATORS, aarch64="qemu-of-nobody"):
            emulated.run_emulated(self.run_, "aarch64")
        self.assertIn("     1  qemu-of-nobody is not installed (qemu-user-static)", self.run_.report())
        self.assertEqual(self.sum(), "0 passed, 0 failed, 1 skipped")

    def test_a_limit_of_the_whole_run_interrupts_each_step(self) -> None:
        run = Run(minutes=1 / 60)
        self.addCleanup(run.end)
        start = time.monotonic()
        self.assertFalse(run.step("a step", ["sleep", "600"]))
        self.assertFalse(run.step("the next", ["sleep", "600"]))
        self.assertLess(time.monotonic() - start, 120)
        self.assertIn("the time for the whole run was over", "\n".join(run.report()))
        self.assertEqual(run.report()[-1], "0 passed, 0 failed, 0 skipped")

    def test_steps_run_next_to_each_other(self) -> None:
        with tempfile.TemporaryDirectory() as place:
            # Neither ends before the other has started.
            pipe = Path(place, "pipe")
            os.mkfifo(pipe)
            first = self.run_.start(["sh", "-c", f"echo gone >{pipe}; exit 3"])
            self.assertTrue(self.run_.step("the second", ["cat", str(pipe)]))
            self.assertFalse(self.run_.finish("the first", first))
        self.assertEqual([name for name, _ in self.run_.times], ["the second", "the first"])
        self.assertEqual(self.sum(), "0 passed, 1 failed, 0 skipped")

    def test_concurrent_commands_are_ended_with_the_run(self) -> None:
        command = self.run_.start(["sleep", "600"])
        process = next(iter(descendants(command._child.pid)))
        self.run_.end()
        self.assertEqual(descendants(process), {})


class SuiteTests(Quiet):
    def told(self, suites: list[SuiteResult], status: int) -> str:
        """The last line after a command that has reported these suites and ended with this status."""
        if suites:
            (self.run_.directory / "board.json").write_text(json.dumps({"suites": [suite.json() for suite in suites]}))
        command = self.run_.start(["sh", "-c", f"exit {status}"])
        self.run_.add_suites("board", command, self.run_.wait("board", command), self.run_.directory / "board.json")
        return self.sum()

    def test_suites_are_added_up(self) -> None:
        suites = [SuiteResult("a", 3, [], [], [("x", "why")], 1.5, [("memory", "1 MB", "2 MB")]), SuiteResult("b", 4)]
        self.assertEqual(self.told(suites, 0), "7 passed, 0 failed, 1 skipped")
        self.assertTrue(self.run_.passed)
        self.assertEqual(self.run_.results[0], suites[0])

    def test_a_failure_counts_once(self) -> None:
        self.assertEqual(self.told([SuiteResult("a", 3, [("x", "said")])], 1), "3 passed, 1 failed, 0 skipped")

    def test_one_that_reports_nothing_or_dies_fails(self) -> None:
        self.assertEqual(self.told([], 0), "0 passed, 1 failed, 0 skipped")
        self.assertEqual(self.told([SuiteResult("a", 3)], 137), "3 passed, 2 failed, 0 skipped")
        self.assertEqual(self.told([SuiteResult("a", 3)], 69), "6 passed, 3 failed, 0 skipped")


class LimitTests(unittest.TestCase):
    def test_a_test_that_hangs_is_interrupted_by_name_and_the_next_one_runs(self) -> None:
        self.addCleanup(signal.signal, signal.SIGALRM, signal.getsignal(signal.SIGALRM))

        class Hanging(unittest.TestCase):
            def test_a(self) -> None:
                os.read(os.pipe()[0], 1)

            def test_b(self) -> None:
                pass

        result = SuiteResult("some")
        unittest.TestLoader().loadTestsFromTestCase(Hanging).run(Collector(result, lambda line: None, TestLimit(0.5)))
        self.assertEqual((result.passed, result.failed), (1, []))
        (name, said), = result.interrupted
        self.assertIn("test_a", name.replace("Hanging.a", "Hanging.test_a"))
        self.assertIn("the test did not end within", said)


class ChangeTests(unittest.TestCase):
    """The tests that `make check` chooses by the files that have changed."""

    def test_a_module_has_its_own_tests(self) -> None:
        choice = changes.choose(["Sources/CleatStore/SettingsStore.swift", "Tests/CleatIOTests/LoopTests.swift", "README.md"])
        self.assertEqual(choice.modules, ["CleatIOTests", "CleatStoreTests"])
        self.assertEqual(choice.filters, [r"^CleatIOTests\.", r"^CleatStoreTests\."])
        self.assertFalse(choice.tools)

    def test_of_the_programs_only_changed_suites_run(self) -> None:
        choice = changes.choose(["Tests/SystemTests/RelayTests.swift", "Sources/cleat/Main.swift"])
        self.assertEqual(choice.filters, [r"^CommandLineTests\.", r"^SystemTests\.RelayTests/"])
        self.assertEqual(changes.choose(["Sources/cleatd/main.swift"]).filters, [r"^SystemTests\.LifeCycleTests/"])

    def test_every_module_has_tests(self) -> None:
        for module in sorted(path.name for path in (REPOSITORY / "Sources").iterdir()):
            chosen = changes.choose([f"Sources/{module}/File.swift"]).modules
            self.assertTrue(chosen and all((REPOSITORY / "Tests" / name).is_dir() for name in chosen), f"{module}: {chosen}")

    def test_tools_are_tested_where_they_change(self) -> None:
        self.assertTrue(changes.choose(["cross/test"]).tools)
        self.assertEqual(changes.choose(["docs/network.md"]), changes.Choice([], [], False))


if __name__ == "__main__":
    unittest.main()

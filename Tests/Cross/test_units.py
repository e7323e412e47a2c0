"""Tests of the runner of the Swift suites: its counts, and its reports if a test program dies, hangs or prints nothing.

`python3 -m unittest discover -s Tests/Cross -t Tests/Cross`
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "cross"))

from target.errors import TargetGone  # noqa: E402
from target.local import LocalTarget  # noqa: E402
from target.process import Completed, Process  # noqa: E402
from target.swift_testing import OutputReader  # noqa: E402
from target.units import ModuleResult, UnitResult, UnitRun  # noqa: E402
from units import tree  # noqa: E402

#: Lists four tests of two modules; `a` and `b` have the scripts of the modules.
PROGRAM = """\
#!/bin/sh
case "$*" in
*--list-tests*)
    echo "tests are skipped: something that a test prints"
    while [ $# -gt 0 ]; do [ "$1" != --event-stream-output-path ] || cat "${0%/*}/package/tags" >"$2"; shift; done
    printf '%s\\n' 'ATests.Suite/one()' 'ATests.Suite/two()' 'BTests.Suite/three(_:)' 'BTests.`quoted name`()' ;;
*ATests*) . ./package/a ;;
*BTests*) . ./package/b ;;
esac
"""
#: The program's event stream of its tests: a suite and a test have the tag.
TAGS = """\
{"kind":"test","payload":{"id":"ATests.Suite","kind":"suite"},"version":1}
{"kind":"test","payload":{"id":"ATests.Suite/one()/A.swift:1:2","kind":"function"},"version":1}
{"kind":"test","payload":{"_tags":[".board"],"id":"ATests.Suite/two()/A.swift:3:4","kind":"function"},"version":1}
{"kind":"test","payload":{"_tags":[".slow",".board"],"id":"BTests.Suite","kind":"suite"},"version":1}
"""
#: The same with a third test, which the suite's tag is not meant for.
OTHER = TAGS + """\
{"kind":"test","payload":{"_tags":[".board"],"id":"ATests.Suite","kind":"suite"},"version":1}
{"kind":"test","payload":{"_tags":[".anyMachine"],"id":"ATests.Suite/one()/A.swift:1:2","kind":"function"},"version":1}
"""
A = """\
◇ Test run started.
↳ Testing Library Version: 6.2.3
◇ Suite Suite started.
◇ Test one() started.
◇ Test "two, with a name" started.
✔ Test one() passed after 0.001 seconds.
✔ Test "two, with a name" passed after 1.5 seconds.
✔ Suite Suite passed after 1.5 seconds.
✔ Test run with 2 tests in 1 suite passed after 1.5 seconds.
"""
B = """\
◇ Test three(_:) started.
◇ Test case passing 1 argument x → 1 to three(_:) started.
✘ Test three(_:) recorded an issue with 1 argument x → "1
2" at File.swift:1:2: Expectation failed: 1 == 2
↳ as it is
✘ Test three(_:) with 3 test cases failed after 0.1 seconds with 1 issue.
➜ Test "quoted name" skipped: "needs a moon"
✘ Test run with 2 tests in 1 suite failed after 0.1 seconds with 1 issue.
"""


def shell(text: str, then: str = "exit 0") -> str:
    """A piece of a shell script that prints a text."""
    return f"cat <<'END'\n{text}END\n{then}\n"


class DyingTarget(LocalTarget):
    """Disappears when the second module is to start."""

    spawned = 0

    def spawn(self, *arguments: object, **options: object) -> Process:
        self.spawned += 1
        if self.spawned > 1:
            raise TargetGone("the plug was pulled")
        return super().spawn(*arguments, **options)  # type: ignore[arg-type]


class SlowTarget(LocalTarget):
    """Says of itself that it is slow."""

    slowness = 15


class FullTarget(LocalTarget):
    """Has no space."""

    def run(self, command: object, **options: object) -> Completed:
        if "tar -x" in str(command):
            return Completed(1, "", "tar: write error: No space left on device")
        return super().run(command, **options)  # type: ignore[arg-type]


class RunnerTests(unittest.TestCase):
    def run_bundle(
        self, a: str, b: str, *, program: str = PROGRAM, kind: type[LocalTarget] = LocalTarget,
        filters: tuple[str, ...] = (), silence: float = 30, everything: bool = True, tags: str = TAGS,
    ) -> UnitResult:
        with tempfile.TemporaryDirectory() as directory, kind() as target:
            bundle = Path(directory)
            (bundle / "package").mkdir()
            for name, text, mode in [("cleat-tests", program, 0o755), ("package/a", a, 0o644), ("package/b", b, 0o644),
                                     ("package/tags", tags, 0o644)]:
                (bundle / name).write_text(text)
                (bundle / name).chmod(mode)
            result = UnitRun(target, bundle, silence=silence, filters=filters, everything=everything).run()
            if kind is LocalTarget:
                self.assertFalse(target.exists(f"{target.directory}/units"), "the copy is removed")
            return result

    def test_counts(self) -> None:
        result = self.run_bundle(shell(A), shell(B, "exit 1"))
        self.assertFalse(result.ok)
        self.assertEqual((result.passed, result.failed), (2, 1))
        self.assertEqual(result.skipped, [('BTests: "quoted name"', "needs a moon")])
        (name, said), = result.modules[1].failed
        self.assertEqual(name, "three(_:)")
        self.assertIn("1 == 2\n↳ as it is", said)
        self.assertEqual([module.broken for module in result.modules], [None, None])
        self.assertIn("2 passed, 1 failed, 1 skipped", result.lines()[-1])
        self.assertTrue(any("needs a moon" in line for line in result.lines()))

    def test_filter(self) -> None:
        result = self.run_bundle(shell(A), "exit 3", filters=("ATests", "Suite/two"))
        self.assertTrue(result.ok, result.lines())
        self.assertEqual(len(result.modules), 1)
        self.assertIn("no test has such a name", self.run_bundle("", "", filters=("nothing",)).broken or "")

    def test_death_in_the_middle(self) -> None:
        result = self.run_bundle(shell("".join(A.splitlines(True)[:6]), "kill -9 $$"), shell(B, "exit 1"))
        self.assertEqual((result.passed, result.failed), (1, 1), "the other module still reports")
        self.assertFalse(result.ok)
        self.assertIn("137", result.modules[0].broken or "")
        self.assertIn('"two, with a name"', result.modules[0].broken or "")

    def test_without_everything_the_tagged_ones_run_and_the_others_are_not_skipped(self) -> None:
        said = 'echo "$*" >&2; exit 9'
        result = self.run_bundle(said, said, everything=False)
        self.assertEqual([(module.name, module.expected) for module in result.modules], [("ATests", 1), ("BTests", 1)])
        self.assertIn(r"--filter ^ATests\.Suite/two\(\)(/|$) ", f"{result.modules[0].broken} ")
        self.assertIn(r"--filter ^BTests\.Suite/ ", f"{result.modules[1].broken} ")
        self.assertEqual(result.skipped, [])

    def test_of_a_tagged_suite_those_run_that_a_board_can_change(self) -> None:
        said = 'echo "$*" >&2; exit 9'
        result = self.run_bundle(said, said, everything=False, tags=OTHER)
        self.assertEqual([(module.name, module.expected) for module in result.modules], [("ATests", 1), ("BTests", 1)])
        self.assertIn(r"--filter ^ATests\.Suite/two\(\)(/|$) ", f"{result.modules[0].broken} ")

    def test_a_slow_target_runs_one_test_at_a_time(self) -> None:
        said = shell(A).replace("exit 0", 'echo "$*" >&2; case "$*" in *--no-parallel*) exit 0 ;; esac; exit 9')
        self.assertIn("ended with 9", self.run_bundle(said, shell(B, "exit 1")).modules[0].broken or "")
        self.assertIsNone(self.run_bundle(said, shell(B, "exit 1"), kind=SlowTarget).modules[0].broken)

    def test_silence_in_the_middle(self) -> None:
        result = self.run_bundle(shell("".join(A.splitlines(True)[:6]), "sleep 600"), shell(B, "exit 1"), silence=1)
        self.assertIsNone(result.modules[0].broken)
        self.assertIn("no output for 1 s; 1 tests had not ended", result.modules[0].interrupted or "")
        self.assertIn('running: "two, with a name"', result.modules[0].interrupted or "")
        self.assertEqual((result.failed, result.ok), (1, False), "the other module still runs")
        suite = result.suites("board ")[0]
        self.assertEqual((suite.name, suite.failed, len(suite.interrupted)), ("board ATests", [], 1))

    def test_silence(self) -> None:
        ended = "✔ Test run with 0 tests in 0 suites passed after 0.001 seconds.\n"
        result = self.run_bundle(shell(ended), shell(ended, "exit 1"))
        self.assertFalse(result.ok)
        self.assertEqual(result.modules[0].broken, "2 of 2 tests printed no result")
        self.assertIsNotNone(result.modules[1].broken)

    def test_target_that_disappears(self) -> None:
        result = self.run_bundle(shell(A), shell(B), kind=DyingTarget)
        self.assertEqual(result.passed, 2)
        self.assertFalse(result.ok)
        self.assertIn("the target has gone: the plug was pulled", result.modules[1].broken or "")

    def test_no_space(self) -> None:
        result = self.run_bundle("", "", kind=FullTarget)
        self.assertFalse(result.ok)
        self.assertIn("No space left on device; free space in", result.broken or "")

    def test_no_bundle(self) -> None:
        with tempfile.TemporaryDirectory() as directory, LocalTarget() as target:
            result = UnitRun(target, Path(directory)).run()
        self.assertFalse(result.ok)
        self.assertIn("run cross/build-tests", result.broken or "")

    def test_program_for_another_machine(self) -> None:
        result = self.run_bundle("", "", program="\x7fELF, but not for this one\n")
        self.assertFalse(result.ok)
        self.assertIn("does not run on local", result.broken or "")


class OutputTests(unittest.TestCase):
    def test_lines_of_people_are_not_results(self) -> None:
        reader = OutputReader()
        for line in textwrap.dedent("""\
            ◇ Test run started.
            ◇ Test case passing 1 argument a → "Test b started." to c(_:) started.
            ✔ Test case passing 1 argument a → 1 to c(_:) passed after 0.001 seconds.
            what a test prints
            ✔ Suite Some passed after 1 seconds.
            """).splitlines():
            reader.read(line)
        self.assertEqual((reader.finished, reader.running, reader.ended), (0, [], False))

    def test_the_slowest_are_reported_with_their_times(self) -> None:
        reader = OutputReader()
        for number in range(8):
            reader.read(f"✔ Test t{number}() passed after {number}.5 seconds.")
        reader.read("✘ Test bad(_:) with 2 test cases failed after 61.25 seconds with 1 issue.")
        self.assertEqual(reader.times[3], ("t3()", 3.5))
        module = ModuleResult("A", 9, times=reader.times)
        self.assertEqual([line.split() for line in module.slowest()],
                         [["61.2", "s", "bad(_:)"], ["7.5", "s", "t7()"], ["6.5", "s", "t6()"], ["5.5", "s", "t5()"]])

    def test_two_of_one_name(self) -> None:
        reader = OutputReader()
        for _ in range(2):
            reader.read("◇ Test refuses(_:) started.")
        reader.read("✔ Test refuses(_:) with 12 test cases passed after 1.0 seconds.")
        self.assertEqual((reader.finished, reader.running), (1, ["refuses(_:)"]))

    def test_line_of_another_writer(self) -> None:
        reader = OutputReader()
        for line in (
                "a child's last words◇ Test one() started.",
                "12 of 20✔ Test one() passed after 0.2 seconds.",
                "◇ Test case passing 1 argument name → nul✔ Test one() passed after 0.2 seconds.",
                "talk of ✔ Test two() passed after lunch",
                "and the end: ✔ Test run with 1 test in 1 suite passed after 0.2 seconds."):
            reader.read(line)
        self.assertEqual((reader.finished, reader.running, reader.ended), (2, [], True))


class TreeTests(unittest.TestCase):
    """The copy of the package's tree that the tests are built from, and what is copied to a target."""

    def setUp(self) -> None:
        self.place = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_tested_modules_are_optimised_and_the_tests_are_not(self) -> None:
        tree.copy_sources(REPOSITORY, self.place)
        told = subprocess.run(
            ["swift", "package", "--package-path", str(self.place), "dump-package"], capture_output=True, text=True,
            timeout=300, check=True, stdin=subprocess.DEVNULL).stdout
        targets = json.loads(told)["targets"]
        flags = {target["name"]: [word for setting in target["settings"]
                                  for word in setting["kind"].get("unsafeFlags", {}).get("_0", [])]
                 for target in targets}
        self.assertEqual(flags["CleatStore"], ["-Osize"])
        self.assertEqual(flags["CleatTestSupport"], ["-Osize"])
        self.assertEqual(flags["CleatStoreTests"][0], "-Onone")
        self.assertEqual(flags["CLinux"], [])
        # The service that is built with the tests has crash points, in every configuration.
        crashing = {target["name"] for target in targets for setting in target["settings"]
                    if "CLEAT_CRASH_POINTS" in json.dumps(setting["kind"]) and "condition" not in setting}
        self.assertEqual(crashing, {"CleatAdapters"})

    def test_modules_with_tests_for_boards_are_built(self) -> None:
        modules = tree.board_modules(REPOSITORY)
        self.assertIn("CleatIOTests", modules)
        self.assertNotIn("CleatJSONTests", modules, "values are the same on every machine")

    def test_files_without_tests_for_boards_are_not_compiled(self) -> None:
        suite = self.place / "Tests/OneTests"
        suite.mkdir(parents=True)
        for name, text in {
                "Tagged": "@Suite(.tags(.board)) struct Tagged { @Test func a() { Used.help() } }",
                "More": "extension Tagged { @Test func b() {} }", "Used": "enum Used { @Test static func help() {} }",
                "Helper": "func help() {}", "Other": "@Suite struct Other { @Test func c() {} }",
                "Further": "extension Other { @Test func d() {} }"}.items():
            (suite / f"{name}.swift").write_text(text + "\n")
        self.assertEqual({path.stem for path in tree.other_tests(self.place)}, {"Other", "Further"})
        (self.place / "Package.swift").write_text("")
        for everything, names in (False, {"Tagged", "More", "Used", "Helper"}), (True, {path.stem for path in suite.iterdir()}):
            tree.copy_sources(self.place, self.place / "copy", everything=everything)
            self.assertEqual({path.stem for path in (self.place / "copy/Tests/OneTests").iterdir()}, names)

    def test_unchanged_files_are_not_written_again(self) -> None:
        tree.copy_sources(REPOSITORY, self.place)
        before = {path: path.stat().st_mtime_ns for path in self.place.rglob("*") if path.is_file()}
        left = self.place / "Sources/CleatJSON/Gone.swift"
        left.write_text("")
        tree.copy_sources(REPOSITORY, self.place)
        self.assertFalse(left.exists(), "what is no longer in the package is not compiled")
        self.assertEqual({path: path.stat().st_mtime_ns for path in before}, before)

    def test_files_that_tests_open_are_copied(self) -> None:
        tree.copy_read(REPOSITORY, self.place)
        opened = {name for path in (REPOSITORY / "Tests").rglob("*.swift")
                  for name in re.findall(r'TestPlaces\.package\.appending\("([^"\\]+)"\)', path.read_text())}
        self.assertGreater(len(opened), 5)
        # What `.ci/setup` installs is this machine's.
        brought = {name for name in opened if not name.startswith(".build-")}
        self.assertEqual({name for name in brought if not (self.place / name).exists()}, set())


if __name__ == "__main__":
    unittest.main()

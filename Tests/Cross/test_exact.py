"""The comparison of exact figures."""

from __future__ import annotations

import json
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "cross"), str(REPOSITORY / "Benchmarks")]

from measure.counts import calls  # noqa: E402
from measure.exact_rows import Figures, depends_on  # noqa: E402
from measure.limits import Limits  # noqa: E402
from toolchain.failure import Failure  # noqa: E402

CALLS, OPENED, FLUSHES = "cleat get: system calls", "service, start: files opened before READY", "set: flushes"


class CallsTests(unittest.TestCase):
    """The calls in the lines of strace."""

    def test_searches_of_the_loader_are_not_counted(self) -> None:
        lines = [
            '7 execve("/b/cleat", ["/b/cleat"], 0x7ffe /* 9 vars */) = 0',
            '7 openat(AT_FDCWD, "/s/x86-64-v4/libswiftCore.so", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file)',
            '7 newfstatat(AT_FDCWD, "/s/x86-64-v4", 0x7ffc, 0) = -1 ENOENT (No such file or directory)',
            '7 openat(AT_FDCWD, "/s/libm.so.6", O_RDONLY|O_CLOEXEC) = -1 ENOENT (No such file or directory)',
            '7 openat(AT_FDCWD, "/s/libswiftCore.so", O_RDONLY|O_CLOEXEC) = 3',
            '7 newfstatat(AT_FDCWD, "/s", {st_mode=S_IFDIR|0755, st_size=9, ...}, 0) = 0',
            '8 openat(AT_FDCWD, "/etc/cleat.conf", O_RDONLY) = -1 ENOENT (No such file or directory)',
            '8 read(3,  <unfinished ...>',
            '8 <... read resumed>"", 9) = 0',
            '7 +++ exited with 0 +++']
        self.assertEqual(calls(lines), 5)


class ExactTests(unittest.TestCase):
    """Rows that are above, below and at their figures."""

    def setUp(self) -> None:
        self._directory = tempfile.TemporaryDirectory()
        self._file = Path(self._directory.name) / "exact.json"

    def tearDown(self) -> None:
        self._directory.cleanup()

    def outcomes(self, **values: list[float]) -> dict[str, str]:
        """Compares measurements with figures of 100 system calls, 40 opened files and 1.1 flushes."""
        limits = Limits("static", self._file)
        limits.update(figures(calls=[100], opened=[40], flushes=[1.1]))
        return {one.row: one.outcome for one in Limits("static", self._file).verdicts(figures(**values))}

    def test_each_outcome(self) -> None:
        self.assertEqual(
            self.outcomes(calls=[106, 107], opened=[37, 38], flushes=[1.2]),
            {CALLS: "failed", OPENED: "lower", FLUSHES: "passed"})

    def test_the_smaller_of_two_measurements_counts(self) -> None:
        self.assertEqual(self.outcomes(calls=[120, 104], opened=[40], flushes=[1.1])[CALLS], "passed")

    def test_a_row_that_is_not_measured_fails(self) -> None:
        self.assertEqual(self.outcomes(calls=[100], opened=[40])[FLUSHES], "failed")

    def test_another_compiler_compares_only_what_does_not_depend_on_it(self) -> None:
        self.outcomes(calls=[100])
        found = json.loads(self._file.read_text())
        for machine in found["static"].values():
            machine["measured with"]["swift"] = "another one"
        self._file.write_text(json.dumps(found))
        verdicts = {one.row: one for one in Limits("static", self._file).verdicts(
            figures(calls=[900], opened=[900], flushes=[1.1]))}
        self.assertEqual(verdicts[CALLS].outcome, "not compared")
        self.assertIn("instead of another one", verdicts[CALLS].text)
        self.assertEqual(verdicts[OPENED].outcome, "failed")

    def test_a_kind_of_build_without_figures_is_not_compared(self) -> None:
        self.outcomes(calls=[100])
        verdicts = Limits("optimised", self._file).verdicts(figures(calls=[1]))
        self.assertEqual([one.outcome for one in verdicts], ["not compared"])

    def test_a_broken_file_is_an_error_with_its_remedy(self) -> None:
        self._file.write_text("{")
        with self.assertRaises(Failure) as caught:
            Limits("static", self._file)
        self.assertIn("--update", caught.exception.then)

    def test_conditions_of_rows(self) -> None:
        self.assertEqual(depends_on("set: KB to the device"), ("kernel",))
        self.assertEqual(depends_on("cleat get: page faults"), ("swift", "libc", "kernel"))
        self.assertEqual(depends_on("service, get over a connection: page faults"), ())


def figures(
    calls: list[float] | None = None, opened: list[float] | None = None, flushes: list[float] | None = None,
) -> Figures:
    """Returns measurements of some rows."""
    made = Figures()
    for row, values in ((CALLS, calls), (OPENED, opened), (FLUSHES, flushes)):
        for value in values or []:
            made.add("group", row, value)
    return made


if __name__ == "__main__":
    unittest.main()

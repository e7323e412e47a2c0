"""The results of a suite, and the suite of system tests."""

from __future__ import annotations

import re
import sys
import time
import traceback
import unittest
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from target.errors import LimitReached
from target.limits import TestLimit

REPOSITORY = Path(__file__).resolve().parents[2]
ON_TARGET = REPOSITORY / "Tests/OnTarget"
#: The modules that restart the target run last: no other test sees their effects.
LAST = ["test_deploy", "test_reboot"]


@dataclass
class SuiteResult:
    """The results of a suite: counts, names, reasons."""

    name: str
    passed: int = 0
    #: Name of a test and what it said.
    failed: list[tuple[str, str]] = field(default_factory=list)
    #: The parts that were ended because they made no progress or the time was over, with what they were doing. They are no
    #: failed tests.
    interrupted: list[tuple[str, str]] = field(default_factory=list)
    #: Name of a test and why it was skipped.
    skipped: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0
    #: The figures: measure, value, limit.
    figures: list[tuple[str, str, str]] = field(default_factory=list)

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> "SuiteResult":
        """Reads what `json` has made."""
        return cls(
            told["suite"], told["passed"], [(one["test"], one["said"]) for one in told["failed"]],
            [(one["test"], one["doing"]) for one in told["interrupted"]], [(one["test"], one["reason"]) for one in told["skipped"]], told["seconds"],
            [(one["measure"], one["figure"], one["hold"]) for one in told["figures"]])

    def json(self) -> dict[str, Any]:
        """The same for programs."""
        return {
            "suite": self.name, "passed": self.passed, "seconds": round(self.seconds, 1),
            "failed": [{"test": name, "said": said} for name, said in self.failed],
            "interrupted": [{"test": name, "doing": doing} for name, doing in self.interrupted],
            "skipped": [{"test": name, "reason": reason} for name, reason in self.skipped],
            "figures": [{"measure": one, "figure": two, "hold": three} for one, two, three in self.figures]}


class Collector(unittest.TestResult):
    """Notes how each test ends, and prints it at once."""

    def __init__(self, into: SuiteResult, say: Callable[[str], None], limit: TestLimit) -> None:
        super().__init__()
        self._into = into
        self._say = say
        self._limit = limit
        self._start = 0.0
        self._bad = False

    def startTest(self, test: unittest.TestCase) -> None:
        super().startTest(test)
        self._start = time.monotonic()
        self._bad = False
        self._limit.begin()

    def stopTest(self, test: unittest.TestCase) -> None:
        self._limit.end()
        super().stopTest(test)

    def _told(self, test: unittest.TestCase, how: str) -> None:
        self._say(f"{how:7} {time.monotonic() - self._start:6.1f} s  {_name(test)}")

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self._into.passed += 1
        self._told(test, "passed")

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:
        super().addSkip(test, reason)
        self._into.skipped.append((_name(test), reason))
        self._say(f"skipped           {_name(test)}: {reason}")

    def _add(self, test: unittest.TestCase, error: tuple[object, ...]) -> None:
        # One test counts once, whatever else goes wrong while it is cleaned up after.
        text = "".join(traceback.format_exception(*error))  # type: ignore[call-overload]
        if isinstance(error[1], LimitReached):
            self._bad = True
            self._into.interrupted.append((_name(test), f"{error[1]}\n{text}"))
            self._told(test, "INTERRUPTED")
            return
        if self._bad and self._into.failed:
            name, said = self._into.failed[-1]
            self._into.failed[-1] = (name, f"{said}\n{text}")
            return
        self._bad = True
        self._into.failed.append((_name(test), text))
        self._told(test, "FAILED")

    def addFailure(self, test: unittest.TestCase, err: tuple[object, ...]) -> None:  # type: ignore[override]
        super().addFailure(test, err)  # type: ignore[arg-type]
        self._add(test, err)

    def addError(self, test: unittest.TestCase, err: tuple[object, ...]) -> None:  # type: ignore[override]
        super().addError(test, err)  # type: ignore[arg-type]
        if not isinstance(test, unittest.TestCase) or not test.id():
            self._bad = False
        self._add(test, err)

    def addSubTest(self, test: unittest.TestCase, subtest: unittest.TestCase, err: object) -> None:  # type: ignore[override]
        super().addSubTest(test, subtest, err)  # type: ignore[arg-type]
        if err is not None:
            self._add(test, err)  # type: ignore[arg-type]


def _name(test: unittest.TestCase) -> str:
    """`links.LinkTests.renamed_by_udev`, of a test or of the fixture of a class."""
    name = test.id()
    found = re.fullmatch(r"(setUpClass|tearDownClass|setUpModule|tearDownModule) \((.*)\)", name)
    if found:
        name = f"{found[2]}.{found[1]}"
    return name.removeprefix("test_").replace(".test_", ".")


def flat(suite: unittest.TestSuite) -> list[unittest.TestCase]:
    """The tests of a suite and of all suites in it."""
    tests: list[unittest.TestCase] = []
    for one in suite:
        tests += flat(one) if isinstance(one, unittest.TestSuite) else [one]
    return tests


def on_target() -> ModuleType:
    """The module that all system tests share."""
    if str(ON_TARGET) not in sys.path:
        sys.path.insert(0, str(ON_TARGET))
    import on_target as module  # type: ignore[import-not-found]

    return module  # type: ignore[no-any-return]


def run_system_tests(result: SuiteResult, filters: list[str], say: Callable[[str], None]) -> None:
    """Runs the tests of Tests/OnTarget on the target that `on_target().RUN` opens; each result is added to
    `result` when a test ends, so that an interrupted run has it as well."""
    run = on_target().RUN
    run.figures.clear()
    start = time.monotonic()
    loader = unittest.TestLoader()
    files = sorted(path.stem for path in ON_TARGET.glob("test_*.py"))
    chosen: list[unittest.TestCase] = []
    for file in sorted(files, key=lambda stem: (LAST.index(stem) + 1 if stem in LAST else 0, stem)):
        tests = flat(loader.loadTestsFromName(file))
        chosen += [test for test in tests if not filters or any(re.search(text, _name(test)) for text in filters)]
    try:
        unittest.TestSuite(chosen).run(Collector(result, say, TestLimit()))
    finally:
        result.seconds = time.monotonic() - start
        result.figures = list(run.figures)

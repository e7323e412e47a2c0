"""Runs the Swift test suites, as `cross/build-tests` has built them, on a target."""

from __future__ import annotations

import json
import math
import re
import shlex
import tarfile
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from target.errors import TargetError, TargetGone, TargetTimeout
from target.limits import SILENCE
from target.suites import SuiteResult
from target.swift_testing import OutputReader
from target.target import Target

PROGRAM = "cleat-tests"
#: Seconds at this machine's speed, which the target stretches, for copying the bundle.
COPY_LIMIT = 60
#: A target this much slower than a desk machine runs one test at a time: dozens at once would each take minutes, so that
#: their time limits would depend on the others, and a hang would not have a name.
ONE_BY_ONE = 8
#: The most names of running tests in a message.
_NAMED = 12
#: The most tests of a module that are printed with their time, and the least seconds.
_SLOWEST, _SLOW = 5, 5.0
#: The tag (`Tag.board` in CleatTestSupport) of tests that a kernel, a libc or a processor can change.
BOARD_TAG = ".board"
#: The tag of those that it cannot change, in a suite with tests that it can.
OTHER_TAG = ".anyMachine"
#: The version of the event stream that names the tags of tests; stable versions leave them out.
_STREAM_VERSION = ("--experimental-event-stream-version", "1")


@dataclass
class ModuleResult:
    """The results of the tests of one module."""

    name: str
    #: The number of its tests.
    expected: int
    passed: int = 0
    #: Name of a test and what it said.
    failed: list[tuple[str, str]] = field(default_factory=list)
    #: Name of a test and why it was skipped.
    skipped: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0
    #: Name of each test that ran, and how many seconds it took.
    times: list[tuple[str, float]] = field(default_factory=list)
    #: The reason why the module did not run to its end.
    broken: str | None = None
    #: The reason why it was ended before its end, and the tests that were running.
    interrupted: str | None = None

    @property
    def ok(self) -> bool:
        """True if all tests have run, and none failed."""
        return not self.failed and self.broken is None and self.interrupted is None

    def failures(self) -> list[str]:
        """The failures with their messages, for a person."""
        return [f"FAILED: {self.name}: {name}\n{_indented(said)}" for name, said in self.failed]

    def __str__(self) -> str:
        line = (f"{self.name:<20} {self.passed:4} passed {len(self.failed):3} failed {len(self.skipped):3} skipped "
                f"{self.seconds:6.1f} s")
        ending = self.broken or self.interrupted
        return line + (f"  {ending}" if ending else "")

    def slowest(self) -> list[str]:
        """The tests that took longest, and long, for a person."""
        last = sorted(self.times, key=lambda one: -one[1])[:_SLOWEST]
        return [f"{'':20} {seconds:6.1f} s  {name}" for name, seconds in last if seconds >= _SLOW]


@dataclass
class UnitResult:
    """The results of a run."""

    modules: list[ModuleResult] = field(default_factory=list)
    bundle_bytes: int = 0
    copy_seconds: float = 0
    #: Why no test could be run.
    broken: str | None = None

    @property
    def ok(self) -> bool:
        """True if tests ran, all to their end, and none failed."""
        return self.broken is None and any(module.passed for module in self.modules) and all(
            module.ok for module in self.modules)

    @property
    def passed(self) -> int:
        return sum(module.passed for module in self.modules)

    @property
    def failed(self) -> int:
        return sum(len(module.failed) for module in self.modules)

    @property
    def skipped(self) -> list[tuple[str, str]]:
        return [(f"{module.name}: {name}", why) for module in self.modules for name, why in module.skipped]

    def suites(self, prefix: str = "") -> list[SuiteResult]:
        """Returns the results as suites, one a module, each with a prefix to its name."""
        suites = []
        for module in self.modules:
            suite = SuiteResult(
                prefix + module.name, module.passed, list(module.failed), [], list(module.skipped), module.seconds)
            if module.broken:
                suite.failed.append((module.name, module.broken))
            if module.interrupted:
                suite.interrupted.append((module.name, module.interrupted))
            suites.append(suite)
        if self.broken:
            suites.append(SuiteResult(f"{prefix}tests", failed=[("all", self.broken)]))
        return suites

    def lines(self) -> list[str]:
        """The summary for a person: what was skipped and why, what failed, the count by module, the sum."""
        lines = [f"skipped: {name}: {why}" for name, why in self.skipped]
        for module in self.modules:
            lines += module.failures()
        lines += [str(module) for module in self.modules]
        if self.broken:
            lines.append(f"no unit test ran: {self.broken}")
        lines.append(
            f"unit tests: {self.passed} passed, {self.failed} failed, {len(self.skipped)} skipped "
            f"({self.bundle_bytes / 1e6:.1f} MB copied in {self.copy_seconds:.0f} s)")
        return lines


class UnitRun:
    """One run of the test bundle on a target.

    Each module is a process of its own: if one dies or hangs, the others still report. A target that disappears ends
    the run with a clear result, not with an exception; nothing is left running on a target that answers.
    """

    def __init__(
        self, target: Target, bundle: Path, *, filters: Sequence[str] = (), everything: bool = False,
        say: Callable[[str], None] = lambda line: None, silence: float = SILENCE, program: Sequence[str] = (),
        directory: str = "", environment: Mapping[str, str] | None = None,
    ) -> None:
        """Prepares a run.

        `filters` are regular expressions of which one has to match a test's name (`Module.Suite/function()`); without
        `everything` only tests with the tag `.board` run. `say` gets a line with the progress now and then;
        `silence` bounds the seconds that a module may print nothing. `program`, `directory` and `environment` are for a
        test program that is on the target already.
        """
        self._target = target
        self._bundle = bundle
        self._filters = [re.compile(text) for text in filters]
        self._everything = everything
        self._say = say
        self._silence = silence
        self._directory = directory or f"{target.directory}/units"
        self._program = list(program) or [f"{self._directory}/{PROGRAM}"]
        self._names: list[str] = []
        self._environment = dict(environment) if environment is not None else {
            "CLEAT_TEST_SLOWNESS": str(math.ceil(target.slowness)), "TMPDIR": f"{self._directory}/tmp"}

    def run(self) -> UnitResult:
        """Copies the bundle, runs every module, and removes the copy."""
        result = UnitResult()
        try:
            self._copy(result)
            self._run_modules(self._modules(), result)
        except (TargetError, AssertionError) as error:
            result.broken = str(error)
        self._clean()
        return result

    def _run_modules(self, modules: dict[str, list[str]], result: UnitResult) -> None:
        gone: str | None = None
        for name, tests in modules.items():
            module = ModuleResult(name, len(tests), broken=gone)
            result.modules.append(module)
            if gone:
                continue
            start = time.monotonic()
            try:
                self._run_module(module, tests)
            except TargetGone as error:
                gone = module.broken = f"the target has gone: {error}"
            except TargetError as error:
                module.broken = str(error)
            module.seconds = time.monotonic() - start
            # At once: a run that is interrupted has then printed what it knew.
            for line in [*module.failures(), str(module), *module.slowest()]:
                self._say(line)

    def _copy(self, result: UnitResult) -> None:
        if not (self._bundle / PROGRAM).is_file():
            raise TargetError(
                f"there is no test program in {self._bundle}; run cross/build-tests {self._target.architecture}")
        start = time.monotonic()
        here = shlex.quote(self._directory)
        # Programs of the tests run as other users, too, and hooks trust only files that no other user can write to.
        self._target.check(f"rm -rf {here} && mkdir -p {here} && chmod a+x {shlex.quote(self._target.directory)}")
        if self._target.can("mount"):
            # A root file system in memory has a third of it at most, and flash wears.
            self._target.check(f"mount -t tmpfs -o size=80%,mode=755 none {here}")
        self._target.check(f"chmod 755 {here} && mkdir -m 1777 {here}/tmp")
        with tempfile.NamedTemporaryFile(prefix="cleat-tests-") as file:
            with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as tar:
                tar.add(self._bundle, arcname=".", filter=_owned_by_root)
            file.flush()
            result.bundle_bytes = file.tell()
            done = self._target.unpack(Path(file.name), self._directory, timeout=COPY_LIMIT)
        if done.status != 0:
            raise TargetError(
                f"the tests ({result.bundle_bytes / 1e6:.0f} MB) could not be unpacked on {self._target.name}: "
                f"{done.err.strip()}; free space in {self._target.directory}")
        result.copy_seconds = time.monotonic() - start
        self._say(f"{result.bundle_bytes / 1e6:.0f} MB of tests copied in {result.copy_seconds:.1f} s")

    def _modules(self) -> dict[str, list[str]]:
        """Returns the names of the tests that are to run, by module."""
        modules: dict[str, list[str]] = {}
        for name in self._listed() if self._everything else self._tagged():
            if not self._filters or any(pattern.search(name) for pattern in self._filters):
                modules.setdefault(name.partition(".")[0], []).append(name)
        if not modules:
            raise TargetError("no test has such a name")
        return modules

    def _listed(self, *words: str) -> list[str]:
        """Returns the names of all tests."""
        listed = self._target.run([*self._program, "--list-tests", *words], environment=self._environment, timeout=30)
        names = [line for line in listed.out.splitlines() if re.match(r"\w+Tests\.\S", line)]
        if listed.status != 0 or not names:
            raise TargetError(
                f"the test program does not run on {self._target.name}: status {listed.status} "
                f"{(listed.out + listed.err).strip()[-1000:]}")
        self._names = names
        return names

    def _tagged(self) -> list[str]:
        """Returns the names of the tests that have the tag of boards, themselves or by their suite, and not the other."""
        stream = f"{self._environment.get('TMPDIR', '/tmp')}/cleat-list.jsonl"
        names = self._listed("--event-stream-output-path", stream, *_STREAM_VERSION)
        entries = [json.loads(line)["payload"] for line in self._target.get(stream).decode().splitlines()]
        # A suite's id is `Module.Suite`, a test's `Module.Suite/function()/File.swift:1:2`.

        def starts(tag: str) -> tuple[str, ...]:
            tagged = (entry["id"] for entry in entries if tag in entry.get("_tags", ()))
            return tuple(f"{re.sub(r'/[^/]+[.]swift:[0-9]+:[0-9]+$', '', one)}/" for one in tagged)

        wanted, others = starts(BOARD_TAG), starts(OTHER_TAG)
        chosen = [name for name in names if f"{name}/".startswith(wanted) and not f"{name}/".startswith(others)]
        if not chosen:
            raise TargetError(f"no test has the tag {BOARD_TAG}")
        return chosen

    def _run_module(self, module: ModuleResult, tests: list[str]) -> None:
        words = list(self._program)
        for pattern in self._patterns(module.name, tests):
            words += ["--filter", pattern]
        if self._target.slowness >= ONE_BY_ONE:
            words.append("--no-parallel")
        reader = OutputReader()
        # No test gets the network's or the harness's descriptors, nor waits for input.
        line = f"cd {shlex.quote(self._directory)} && exec {shlex.join(words)} 2>&1 </dev/null"
        process = self._target.spawn(line, environment=self._environment)
        status, silent = None, False
        try:
            while (text := process.read_line(self._silence / self._target.slowness)) is not None:
                if reader.read(text):
                    self._say(f"{module.name}: {reader.finished} of {module.expected}, {reader.progress}")
            status = process.wait(10)
        except TargetTimeout:
            silent = True
        finally:
            self._take(reader, module)
            process.close()
        self._check_ending(reader, module, status, silent)

    def _patterns(self, module: str, tests: list[str]) -> list[str]:
        """Returns the regular expressions for the program's --filter that select exactly these tests of a module."""
        chosen, others = set(tests), [name for name in self._names if name.startswith(f"{module}.")]
        patterns: dict[str, None] = {}
        for name in tests:
            # A pattern is matched with every test of the program, so one for a whole suite is quicker than one a test.
            suite = name.rpartition("/")[0]
            whole = suite and all(other in chosen for other in others if other.startswith(f"{suite}/"))
            patterns[f"^{re.escape(suite)}/" if whole else f"^{re.escape(name)}(/|$)"] = None
        return list(patterns)

    @staticmethod
    def _take(reader: OutputReader, module: ModuleResult) -> None:
        module.passed, module.failed, module.skipped = reader.passed, list(reader.failed), list(reader.skipped)
        module.times = list(reader.times)

    def _check_ending(self, reader: OutputReader, module: ModuleResult, status: int | None, silent: bool) -> None:
        """Notes what the lines do not say: how the process ended, and which tests did not run for it."""
        names = reader.running
        running = ", ".join(names[:_NAMED]) or "none"
        if len(names) > _NAMED:
            running += f" and {len(names) - _NAMED} more"
        missing = module.expected - reader.finished
        if silent:
            module.interrupted = (f"no output for {self._silence:g} s; {missing} tests had not ended, running: {running}; "
                                  f"{reader.tail}")
        elif status is None or not reader.ended:
            module.broken = f"the process ended with {status} in the middle; running: {running}; {reader.tail}"
        elif missing:
            module.broken = f"{missing} of {module.expected} tests printed no result"
            if names:
                module.broken += f"; started without an end: {running}"
        elif status != 0 and not module.failed:
            module.broken = f"the process ended with {status} although no test failed; {reader.tail}"

    def _clean(self) -> None:
        if not self._target.is_alive():
            return
        try:
            here = shlex.quote(self._directory)
            self._target.run(f"umount -l {here} 2>/dev/null; rm -rf {here}")
        except TargetError:
            pass


def _owned_by_root(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = 0
    entry.uname = entry.gname = "root"
    entry.mtime = 0
    entry.mode = 0o755 if entry.isdir() or entry.mode & 0o111 else 0o644
    return entry


def _indented(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())

"""Runs the Swift test suites, as `cross/build-tests` has built them, on a target."""

from __future__ import annotations

import io
import math
import re
import shlex
import tarfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from target.errors import LimitReached, TargetError, TargetGone, TargetTimeout
from target.process import Process
from target.suites import SuiteResult
from target.swift_testing import OutputReader
from target.target import Target

PROGRAM = "cleat-tests"
#: Seconds at this machine's speed, which the target stretches: for one module, and for copying the bundle.
MODULE_LIMIT = 60
COPY_LIMIT = 60
#: Seconds, at this machine's speed, in which a module has to say something: it hangs where it does not.
SILENCE_LIMIT = 20
#: A target this much slower than a desk machine runs one test at a time: dozens at once would each take minutes, so that
#: their time limits would speak of the others, and a hang would not have a name.
ONE_BY_ONE = 8
#: How many names of tests that were running stand in a message.
_NAMED = 12
#: How many of a module's tests are told with their time, and the seconds from which on.
_SLOWEST, _SLOW = 5, 5.0

#: Tests that take minutes on an emulated board without being about what differs there, and why they are left out where
#: not everything is asked for. All of them run on the machine that builds.
SLOW: dict[str, str] = {
    r"^(CleatAPITests|CleatJSONTests|CleatSettingsTests|CleatTests|CommandLineTests)\.":
        "texts and values, which are the same on every machine; --everything runs it",
    r"^CleatStoreTests\.\w*(Fault|Property)\w*/":
        "faults that the test makes itself, one after the other; --everything runs it",
    r"^SystemTests\.(ChangedSources|CommandLineEndToEnd|Document|Drift|EditingEndToEnd|FileRefusal|Import|LayerEndToEnd"
    r"|Library|Plan|Rollback|Root|SettingsFailure|SettingsFiles|SettingsSecret|Snapshot|TwoClients|VolatileEndToEnd"
    r"|Wire)Tests/":
        "what is said and answered, which is the same on every machine; --everything runs it",
}


@dataclass
class ModuleResult:
    """What came of the tests of one module."""

    name: str
    #: How many tests of it were to run.
    expected: int
    passed: int = 0
    #: Name of a test and what it said.
    failed: list[tuple[str, str]] = field(default_factory=list)
    #: Name of a test and why it was skipped.
    skipped: list[tuple[str, str]] = field(default_factory=list)
    seconds: float = 0
    #: Name of each test that ran, and how many seconds it took.
    times: list[tuple[str, float]] = field(default_factory=list)
    #: Why the module did not run to its end.
    broken: str | None = None

    @property
    def ok(self) -> bool:
        """Whether everything that was to run has run, and nothing failed."""
        return not self.failed and self.broken is None

    def failures(self) -> list[str]:
        """What failed and what it said, for a person."""
        return [f"FAILED: {self.name}: {name}\n{_indented(said)}" for name, said in self.failed]

    def __str__(self) -> str:
        line = (f"{self.name:<20} {self.passed:4} passed {len(self.failed):3} failed {len(self.skipped):3} skipped "
                f"{self.seconds:6.1f} s")
        return line + (f"  {self.broken}" if self.broken else "")

    def slowest(self) -> list[str]:
        """The tests that took longest, and long, for a person."""
        last = sorted(self.times, key=lambda one: -one[1])[:_SLOWEST]
        return [f"{'':20} {seconds:6.1f} s  {name}" for name, seconds in last if seconds >= _SLOW]


@dataclass
class UnitResult:
    """What came of a run."""

    modules: list[ModuleResult] = field(default_factory=list)
    #: Name of a test and why it was not even tried: it is slow, and not everything was asked for.
    left_out: list[tuple[str, str]] = field(default_factory=list)
    bundle_bytes: int = 0
    copy_seconds: float = 0
    #: Why no test could be run.
    broken: str | None = None

    @property
    def ok(self) -> bool:
        """Whether tests ran, all to their end, and none failed."""
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
        return [(f"{module.name}: {name}", why) for module in self.modules
                for name, why in module.skipped] + self.left_out

    def add_to(self, suite: SuiteResult) -> None:
        """Adds all of it to what came of a suite."""
        suite.passed += self.passed
        suite.skipped += self.skipped
        for module in self.modules:
            suite.failed += [(f"{module.name}: {test}", said) for test, said in module.failed]
            if module.broken:
                suite.failed.append((module.name, module.broken))
        if self.broken:
            suite.failed.append(("all", self.broken))

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

    Each module is a process of its own: where one dies or hangs, the others still tell. A target that disappears ends
    the run with a clear result, not with an exception; nothing is left running on a target that answers.
    """

    def __init__(
        self, target: Target, bundle: Path, *, filters: Sequence[str] = (), everything: bool = False,
        say: Callable[[str], None] = lambda line: None, log: Callable[[str], None] = lambda line: None,
        module_limit: float = MODULE_LIMIT, silence_limit: float = SILENCE_LIMIT, program: Sequence[str] = (),
        directory: str = "", environment: Mapping[str, str] | None = None,
    ) -> None:
        """Prepares a run.

        `filters` are regular expressions of which one has to match a test's name (`Module.Suite/function()`);
        `everything` runs the slow tests as well; `say` gets a line now and then that tells how far it is,
        `log` every line that the tests print; `module_limit` bounds a module, and `silence_limit` how long it may say
        nothing, in seconds at this machine's speed. `program`, `directory` and `environment` are for a test program
        that is on the target already.
        """
        self._target = target
        self._bundle = bundle
        self._filters = [re.compile(text) for text in filters]
        self._everything = everything
        self._say = say
        self._log = log
        self._module_limit = module_limit
        self._silence_limit = silence_limit
        self._directory = directory or f"{target.directory}/units"
        self._program = list(program) or [f"{self._directory}/{PROGRAM}"]
        self._environment = dict(environment) if environment is not None else {
            "CLEAT_TEST_SLOWNESS": str(math.ceil(target.slowness)), "TMPDIR": f"{self._directory}/tmp"}

    def run(self) -> UnitResult:
        """Copies the bundle, runs every module, and removes the copy."""
        result = UnitResult()
        try:
            self._copy(result)
            modules = self._modules(result)
            self._run_modules(modules, result)
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
                self._run_module(module)
            except TargetGone as error:
                gone = module.broken = f"the target has gone: {error}"
            except LimitReached as error:
                gone = str(error)
            except TargetError as error:
                module.broken = str(error)
            module.seconds = time.monotonic() - start
            # At once: a run that is cut off has then told what it knew.
            for line in [*module.failures(), str(module), *module.slowest()]:
                self._say(line)

    def _copy(self, result: UnitResult) -> None:
        if not (self._bundle / PROGRAM).is_file():
            raise TargetError(
                f"there is no test program in {self._bundle}; run cross/build-tests {self._target.architecture}")
        archive = io.BytesIO()
        with tarfile.open(fileobj=archive, mode="w:gz", compresslevel=6, format=tarfile.USTAR_FORMAT) as tar:
            tar.add(self._bundle, arcname=".", filter=_owned_by_root)
        content = archive.getvalue()
        start = time.monotonic()
        here = shlex.quote(self._directory)
        # Programs of the tests run as other users, too, and hooks trust only what nobody else can write to.
        self._target.check(f"rm -rf {here} && mkdir -p {here} && chmod a+x {shlex.quote(self._target.directory)}")
        if self._target.can("mount"):
            # The root of a board that lives in memory has room for a third of it at most, and flash wears.
            self._target.check(f"mount -t tmpfs -o size=80%,mode=755 none {here}")
        self._target.check(f"chmod 755 {here} && mkdir -m 1777 {here}/tmp")
        # Unpacked as it comes: a board keeps it in memory, where there may not be room for it twice.
        done = self._target.run(f"cd {here} && tar -xzf -", input=content, timeout=COPY_LIMIT)
        if done.status != 0:
            raise TargetError(
                f"the tests ({len(content) / 1e6:.0f} MB) could not be unpacked on {self._target.name}: "
                f"{done.err.strip()}; is there room in {self._target.directory}?")
        result.bundle_bytes = len(content)
        result.copy_seconds = time.monotonic() - start
        self._say(f"{len(content) / 1e6:.1f} MB of tests copied in {result.copy_seconds:.1f} s")

    def _modules(self, result: UnitResult) -> dict[str, list[str]]:
        """The names of the tests that are to run, by module."""
        listed = self._target.run(
            [*self._program, "--list-tests"], environment=self._environment, timeout=30)
        names = [line for line in listed.out.splitlines() if re.match(r"\w+Tests\.\S", line)]
        if listed.status != 0 or not names:
            raise TargetError(
                f"the test program does not run on {self._target.name}: status {listed.status} "
                f"{(listed.out + listed.err).strip()[-1000:]}")
        modules: dict[str, list[str]] = {}
        for name in names:
            if self._filters and not any(pattern.search(name) for pattern in self._filters):
                continue
            why = None if self._everything else next(
                (why for pattern, why in SLOW.items() if re.search(pattern, name)), None)
            if why:
                result.left_out.append((name, why))
            else:
                modules.setdefault(name.partition(".")[0], []).append(name)
        if not modules:
            raise TargetError("no test has such a name")
        return modules

    def _run_module(self, module: ModuleResult) -> None:
        words = list(self._program)
        patterns = [pattern.pattern for pattern in self._filters] or [""]
        for pattern in patterns:
            words += ["--filter", f"^(?={re.escape(module.name)}\\.)(?=.*?(?:{pattern}))"]
        if not self._everything:
            for pattern in SLOW:
                words += ["--skip", pattern]
        if self._target.slowness >= ONE_BY_ONE:
            words.append("--no-parallel")
        reader = OutputReader()
        deadline = time.monotonic() + self._target.limit(self._module_limit)
        # No test sees the network's or the harness's descriptors, nor waits for input.
        line = f"cd {shlex.quote(self._directory)} && exec {shlex.join(words)} 2>&1 </dev/null"
        process = self._target.spawn(line, environment=self._environment)
        status, late, over = None, "", None
        try:
            while (text := self._next(process, deadline)) is not None:
                self._log(text)
                if reader.read(text):
                    self._say(f"{module.name}: {reader.finished} of {module.expected}, {reader.progress}")
            status = process.wait(10)
        except LimitReached as error:
            late, over = str(error), error
        except TargetTimeout:
            late = (f"did not end within {self._target.limit(self._module_limit):.0f} s"
                    if time.monotonic() >= deadline else
                    f"said nothing for {self._target.limit(self._silence_limit):.0f} s")
        finally:
            self._take(reader, module)
            process.close()
        self._judge(reader, module, status, late)
        if over:
            raise over

    def _next(self, process: Process, deadline: float) -> str | None:
        """The next line; raises `TargetTimeout` after too long a silence and at the deadline."""
        rest = (deadline - time.monotonic()) / self._target.slowness
        if rest <= 0:
            raise TargetTimeout("the module's time is over")
        return process.read_line(min(rest, self._silence_limit))

    @staticmethod
    def _take(reader: OutputReader, module: ModuleResult) -> None:
        module.passed, module.failed, module.skipped = reader.passed, list(reader.failed), list(reader.skipped)
        module.times = list(reader.times)

    @staticmethod
    def _judge(reader: OutputReader, module: ModuleResult, status: int | None, late: str) -> None:
        """Says what the lines do not: how the process ended, and what has not run for it."""
        names = reader.running
        running = ", ".join(names[:_NAMED]) or "none"
        if len(names) > _NAMED:
            running += f" and {len(names) - _NAMED} more"
        missing = module.expected - reader.finished
        if status is None:
            module.broken = f"{late}; {missing} tests had not ended, running: {running}; {reader.tail}"
        elif not reader.ended:
            module.broken = f"the process ended with {status} in the middle; running: {running}; {reader.tail}"
        elif missing:
            module.broken = f"{missing} of {module.expected} tests told nothing"
            if names:
                module.broken += f"; started, and never told to have ended: {running}"
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

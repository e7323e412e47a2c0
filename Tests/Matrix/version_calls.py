"""The calls of a client under test: each one is run, checked, and recorded for the comparison with the matching pair.

The pair of a client and a service of the same release makes the reference: with another pair, the same calls must have the same
status and the same essential output.
"""

from __future__ import annotations

import os
import re
import shlex
import signal
import subprocess
from dataclasses import dataclass, field, replace
from typing import Any

import version_essence as essence
from version_board import PATIENCE, Board, Failed, children_of
from version_releases import Release

#: Faults of the client that are made on purpose, to show that a cell can fail.
FAULTS = {
    "hang": "the client sleeps", "crash": "the client is killed by SIGSEGV", "status": "the client ends with another status",
    "output": "the client's output lacks its digits", "effect": "the client prints what is expected, and calls no service",
    "raw": "a refusal is the error of the protocol", "more": "the client prints a line more",
}
#: A status above it is a signal.
SIGNALLED = 128


class Refused(Exception):
    """The explanation of a client that cannot do a verb with the older service."""


@dataclass(frozen=True)
class Done:
    """An ended call."""

    command: str
    status: int
    output: str
    error: str
    #: The part of the output that is the same with each pair.
    essence: Any = None

    @property
    def json(self) -> Any:
        """The first document of the output."""
        return next(iter(essence.documents(self.output)))

    def __str__(self) -> str:
        return f"`{self.command}` ended with {self.status}: {essence.one_line(self.output + self.error)[:600]}"


@dataclass
class Started:
    """A running call."""

    command: str
    process: subprocess.Popen[str]
    is_json: bool


@dataclass
class Calls:
    """The calls of one client on one board, in text or in JSON."""

    board: Board
    client: Release
    service: Release
    #: `text` or `json`.
    form: str
    #: A fault that is made on purpose; empty for none.
    fault: str = ""
    #: The calls of the matching pair; None if these are its own.
    reference: list[Done] | None = None
    done: list[Done] = field(default_factory=list)
    _before: Any = None

    @property
    def n(self) -> int:
        """A number that differs between text and JSON, so that each form has an effect of its own."""
        return 1 if self.form == "text" else 2

    @property
    def is_json(self) -> bool:
        """True if the output is JSON."""
        return self.form == "json"

    def run(
        self, *words: str, status: int = 0, has: tuple[str, ...] = (), keep: str = "", drop: tuple[str, ...] = (),
        stdin: str = "", form: bool = True, is_text: bool = False, **variables: str
    ) -> Done:
        """Runs the client, and checks its status and its output, which must have some texts.

        Only lines, and objects in lists, that match the pattern `keep` are compared with the matching pair, and not the members
        `drop`. Without `form` the client gets no option for its output, which is text, as with `is_text`.
        """
        if self.fault == "effect" and self._expected is not None:
            self.done.append(self._expected)
            return self.done[-1]
        started = self.begin(*words, form=form, **variables)
        started.is_json = started.is_json and not is_text
        return self.end(started, status, has, keep, drop, stdin)

    def begin(self, *words: str, form: bool = True, **variables: str) -> Started:
        """Starts the client."""
        command = list(words)
        is_json = form and self.is_json
        self._before = self._generation()
        if is_json:
            place = command.index("--") if "--" in command else len(command)
            command[place:place] = ["--output", "json"]
        process = subprocess.Popen(
            self.board.inside([*self._program, *command]), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            encoding="utf-8", errors="replace", env={**self.board.environment, **variables})
        return Started(essence.plain(shlex.join(["cleat", *command]), str(self.board.disk)), process, is_json)

    def end(
        self, started: Started, status: int = 0, has: tuple[str, ...] = (), keep: str = "", drop: tuple[str, ...] = (),
        stdin: str = ""
    ) -> Done:
        """Waits for a started client, and checks it as ``run`` does."""
        try:
            output, error = started.process.communicate(stdin, timeout=PATIENCE)
        except subprocess.TimeoutExpired as expired:
            self.kill(started)
            raise Failed(f"hung: `{started.command}` did not end within {PATIENCE:.0f} s") from expired
        done = self._damaged(Done(started.command, started.process.returncode, output, error))
        self._check(done, status, has)
        done = replace(done, essence=self._essence(done, re.compile(keep), essence.VOLATILE | set(drop), started.is_json))
        self._compare(done)
        self.done.append(done)
        return done

    def kill(self, started: Started) -> tuple[str, str]:
        """Kills a running client; returns what it has printed."""
        for number in children_of(started.process.pid) or [started.process.pid]:
            os.kill(number, signal.SIGKILL)
        return started.process.communicate()

    def _check(self, done: Done, status: int, has: tuple[str, ...]) -> None:
        if done.status < 0 or done.status > SIGNALLED:
            raise Failed(f"crashed: {done}")
        if done.status not in (0, status) and (explained := essence.explanation(done.error)):
            if self._generation() != self._before:
                raise Failed(f"refused, but the settings were changed: {done}")
            raise Refused(explained)
        if essence.RAW.search(essence.prose(done.error) + essence.prose(done.output)):
            raise Failed(f"raw error of the protocol: {done}")
        if done.status != status:
            raise Failed(f"{done}; the status must be {status}")
        for text in has:
            if text not in done.output + done.error:
                raise Failed(f"the output lacks “{text}”: {done}")

    def _essence(self, done: Done, keep: re.Pattern[str], drop: frozenset[str], is_json: bool) -> Any:
        directory = str(self.board.disk)
        if not is_json:
            return essence.lines(done.output, keep, directory)
        try:
            return [essence.essential(one, keep, drop, directory) for one in essence.documents(done.output)]
        except ValueError as error:
            raise Failed(f"the output is not JSON ({error}): {done}") from error

    def _generation(self) -> Any:
        """Returns the number of the newest generation."""
        return self.board.call("dev.cleat.Service.Status")["generation"]

    @property
    def _expected(self) -> Done | None:
        """The next call of the matching pair."""
        number = len(self.done)
        return self.reference[number] if self.reference is not None and number < len(self.reference) else None

    def _compare(self, done: Done) -> None:
        expected = self._expected
        if self.reference is None or expected is None:
            return
        if expected.command != done.command:
            raise Failed(f"`{done.command}` was run, and `{expected.command}` with the matching pair")
        if words := essence.difference(expected.essence, done.essence):
            raise Failed(f"the output of `{done.command}` differs from that of the matching pair {words}")

    # MARK: Faults

    @property
    def _program(self) -> list[str]:
        """The command of the client, or of the program that a fault puts in its place."""
        scripts = {"hang": "exec sleep 600", "crash": "kill -SEGV $$", "effect": "exit 0"}
        is_faulty = self.reference is not None and self.fault in scripts
        return ["sh", "-c", scripts[self.fault], "cleat"] if is_faulty else [str(self.client.cleat)]

    def _damaged(self, done: Done) -> Done:
        """Returns a call with the damage of the chosen fault."""
        if self.reference is None:
            return done
        if self.fault == "status":
            return replace(done, status=done.status ^ 3)
        if self.fault == "output":
            return replace(done, output=re.sub(r"\d", "", done.output))
        if self.fault == "more":
            return replace(done, output=f"{done.output}more\n")
        if self.fault == "raw" and essence.explanation(done.error):
            return replace(done, error="cleat: the service replied org.varlink.service.MethodNotFound\n")
        return done

"""The real `cleatd` on a target, and `cleat`."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cross"))

from target.errors import TargetTimeout  # noqa: E402
from target.process import Completed, Process  # noqa: E402
from target.target import Target  # noqa: E402


class RunningAgent:
    """An agent with its store, socket and configuration in a directory of its own; it never changes the machine."""

    def __init__(
        self, target: Target, programs: str, directory: str, *, state: str | None = None,
        arguments: tuple[str, ...] = (),
    ) -> None:
        self.target = target
        self.programs = programs
        self.directory = directory
        self.state = state or f"{directory}/state"
        self.socket = f"{directory}/run/socket"
        self.words = [
            f"{programs}/cleatd", "--state", self.state, "--runtime", f"{directory}/run", "--config",
            f"{directory}/etc", "--root", f"{directory}/root", *arguments]
        self._process: Process | None = None
        self._log: list[str] = []

    # Life cycle

    def start(self) -> None:
        """Starts it and waits until it reports that it is ready."""
        self.launch()
        self.wait_for_log("serves")

    def launch(self) -> None:
        """Starts it; for an agent that is not to become ready."""
        self.make_directories()
        self._process = self.target.spawn("exec " + shlex.join(self.words) + " 2>&1")

    def make_directories(self) -> None:
        """Makes the directories that it does not make itself: of its configuration, and its root."""
        self.target.check(f"umask 022; mkdir -p {self.directory}/etc/hooks.d {self.directory}/root")

    @property
    def process(self) -> Process:
        """The process; its number is the agent's own."""
        assert self._process is not None, "the agent was not started"
        return self._process

    @property
    def pid(self) -> int:
        """The agent's process number."""
        return self.process.pid

    def wait_for_log(self, wanted: str, timeout: float = 10) -> None:
        """Reads its messages until one contains this."""
        while True:
            line = self.process.read_line(timeout)
            if line is None:
                raise TargetTimeout(f"cleatd has ended without the message {wanted!r}: {self.log}")
            self._log.append(line)
            if wanted in line:
                return

    @property
    def log(self) -> str:
        """Its messages, as far as they were read."""
        return "\n".join(self._log)

    def ended(self, timeout: float = 20) -> int:
        """Waits for its end, reads the rest of its messages; returns its status."""
        self._log += list(self.process.lines(timeout))
        return self.process.wait(timeout)

    def stop(self) -> None:
        """Stops it, and requires that it ends without an error."""
        self.process.signal(15)
        status = self.ended()
        assert status == 0, f"cleatd ended with {status}: {self.log}"

    def kill(self) -> None:
        """Ends it as a crash would."""
        self.process.signal(9)
        self.process.wait()

    def close(self) -> None:
        """Ends it in any state."""
        if self._process is not None:
            self._process.close()

    # Calls

    @property
    def environment(self) -> dict[str, str]:
        """The variables for `cleat` to find it."""
        return {"CLEAT_SOCKET": self.socket}

    def cleat(self, *words: str, timeout: float = 10) -> Completed:
        """Runs `cleat` with these words."""
        return self.target.run([f"{self.programs}/cleat", *words], environment=self.environment, timeout=timeout)

    def ask(self, *words: str) -> Any:
        """Runs `cleat … --output json`, which must succeed; returns its output."""
        done = self.cleat(*words, "--output", "json")
        assert done.status == 0, f"cleat {' '.join(words)}: {done}"
        return json.loads(done.out)

    def get(self, path: str) -> str:
        """The value of a setting, as text."""
        done = self.cleat("get", path)
        assert done.status == 0, f"cleat get {path}: {done}"
        return done.out.rstrip("\n")

    def set(self, *assignments: str) -> int:
        """Changes settings, which must succeed; returns the generation."""
        return int(self.ask("set", *assignments)["generation"])

    def status(self) -> dict[str, Any]:
        """`cleat status`, with its counters as one object."""
        status = dict(self.ask("status"))
        status["counters"] = {counter["name"]: counter["value"] for counter in status["counters"]}
        return status

    def observer(self, name: str) -> str | None:
        """Returns the summary of an event source in `cleat status`."""
        return next((one.get("summary") for one in self.status()["observers"] if one["name"] == name), None)

    def hook(self, name: str) -> dict[str, Any]:
        """A hook of `cleat hook list`."""
        listed = self.ask("hook", "list")
        found = [hook for hook in listed["hooks"] if hook["name"] == name]
        assert found, f"there is no hook {name}: {listed}"
        return dict(found[0])

    def wait_for_hook(self, name: str, runs: int = 1) -> dict[str, Any]:
        """Waits until a hook has run so many times, and returns it; all runs must have succeeded."""
        def done() -> dict[str, Any] | None:
            hook = self.hook(name)
            return hook if hook["runs"] >= runs and "last" in hook else None

        hook = self.target.eventually(f"hook {name} has run {runs} times", done)
        assert hook["failures"] == 0, str(hook)
        return hook

    def links(self) -> dict[int, dict[str, Any]]:
        """The links by their index."""
        return {link["index"]: link for link in self.ask("links")["links"]}

    def follow(self, *words: str) -> "EventStream":
        """Follows the events from now on."""
        status = self.status()
        process = self.target.spawn(
            [f"{self.programs}/cleat", "events", "--output", "json-lines", "--instance", status["instance"], "--after",
             str(status["counters"]["events"]), *words], environment=self.environment)
        return EventStream(process)


class EventStream:
    """The output of `cleat events`. It is a context manager."""

    def __init__(self, process: Process) -> None:
        self._process = process
        #: All events that were read.
        self.seen: list[dict[str, Any]] = []

    def expect(self, what: str, matches: Callable[[dict[str, Any]], bool], timeout: float = 10) -> dict[str, Any]:
        """Reads until an event matches; returns it. An event that was read before and matches counts, too."""
        for event in self.seen:
            if matches(event):
                return event
        while True:
            event = self.next(what, timeout)
            if matches(event):
                return event

    def next(self, what: str, timeout: float = 10) -> dict[str, Any]:
        """The next event."""
        try:
            line = self._process.read_line(timeout)
        except TargetTimeout as error:
            raise AssertionError(f"no event reports that {what}; there were: {self.summary}; {error}") from error
        if line is None:
            raise AssertionError(f"`cleat events` has ended: {self._process.err}; there were: {self.summary}")
        message = json.loads(line)
        assert not message.get("lost"), f"events were lost: {message}"
        event: dict[str, Any] = message.get("event") or {}
        if event:
            self.seen.append(event)
        return event

    def wait(self, source: str, action: str, subject: str = "", timeout: float = 10, **properties: str) -> dict[str, Any]:
        """Reads until this event: with an end of the subject, and properties with these values."""
        def matches(event: dict[str, Any]) -> bool:
            return (
                event.get("source") == source and event["action"] == action and event["subject"].endswith(subject)
                and all(event["properties"].get(name) == value for name, value in properties.items()))

        return self.expect(f"{source} {action} …{subject} {properties or ''}", matches, timeout)

    @property
    def summary(self) -> str:
        """The events that were read, one a line."""
        return "\n".join(
            f"{event['sequence']} {event['source']} {event['action']} {event['subject']}" for event in self.seen[-60:])

    def forget(self) -> None:
        """Events that were read until now no longer count."""
        self.seen = []

    def close(self) -> None:
        """Ends `cleat events`."""
        self._process.close()

    def __enter__(self) -> "EventStream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

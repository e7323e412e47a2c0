"""QEMU's machine protocol over a socket that QEMU inherits."""

from __future__ import annotations

import itertools
import json
import socket
import threading
from typing import Any, Callable

from .errors import BoardError, BoardTimeout


class QMP:
    """Sends commands and keeps events; `feed` is called by the thread that reads for the whole board."""

    def __init__(self, connection: socket.socket, condition: threading.Condition, death: Callable[[], str | None]):
        self.connection = connection
        self._condition = condition
        self._death = death
        self._buffer = b""
        self._replies: dict[int, dict[str, Any]] = {}
        self._ids = itertools.count(1)
        self._greeted = False
        self.events: list[dict[str, Any]] = []
        self.on_event: Callable[[dict[str, Any]], None] = lambda event: None

    def feed(self, data: bytes) -> None:
        """Takes what arrived; called with the condition held."""
        self._buffer += data
        while b"\n" in self._buffer:
            line, self._buffer = self._buffer.split(b"\n", 1)
            if not line.strip():
                continue
            message = json.loads(line)
            if "event" in message:
                self.events.append(message)
                self.on_event(message)
            elif "QMP" in message:
                self._greeted = True
            elif isinstance(message.get("id"), int):
                self._replies[message["id"]] = message
        self._condition.notify_all()

    def _wait(self, ready: Callable[[], bool], timeout: float, what: str) -> None:
        with self._condition:
            if not self._condition.wait_for(lambda: self._death() is not None or ready(), timeout):
                raise BoardTimeout(f"qemu did not answer {what} within {timeout:g} s",
                                   remedy="see whether the machine is overloaded or the process stopped")
            if not ready():
                raise BoardError(f"{self._death()} during {what}")

    def negotiate(self, timeout: float) -> None:
        """Waits for the greeting and leaves the negotiation mode."""
        self._wait(lambda: self._greeted, timeout, "the greeting")
        self.command("qmp_capabilities", timeout=timeout)

    def command(self, name: str, arguments: dict[str, Any] | None = None, *, timeout: float = 20,
                file: int | None = None) -> Any:
        """Runs one command and returns its result; `file` is a descriptor that is sent with it."""
        number = next(self._ids)
        line = json.dumps({"execute": name, "arguments": arguments or {}, "id": number}).encode() + b"\n"
        try:
            if file is None:
                self.connection.send(line)
            else:
                socket.send_fds(self.connection, [line], [file])
        except OSError as error:
            raise BoardError(f"{self._death() or error} during {name}") from error
        self._wait(lambda: number in self._replies, timeout, f"“{name}”")
        reply = self._replies.pop(number)
        if "error" in reply:
            raise BoardError(f"qemu refused {name} {arguments or ''}: {reply['error'].get('desc')}")
        return reply.get("return")

    def mark(self) -> int:
        """The place in the list of events from which `wait_event` is to look."""
        with self._condition:
            return len(self.events)

    def wait_event(self, name: str, *, since: int, timeout: float,
                   matching: Callable[[dict[str, Any]], bool] = lambda data: True) -> dict[str, Any]:
        """Waits for an event that came after `since` and whose data match."""
        def found() -> dict[str, Any] | None:
            for event in self.events[since:]:
                if event["event"] == name and matching(event.get("data", {})):
                    return event
            return None
        self._wait(lambda: found() is not None, timeout, f"the event {name}")
        event = found()
        assert event is not None
        return event

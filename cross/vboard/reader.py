"""The thread that reads all that a board says."""

from __future__ import annotations

import selectors
import threading
from typing import Any, Callable

from .machine import Machine


class Reader(threading.Thread):
    """Reads both connections until qemu ends: a death is noticed at once, whatever the other threads wait for."""

    def __init__(self, machine: Machine, condition: threading.Condition, qmp: Callable[[bytes], None],
                 agent: Callable[[bytes], None], died: Callable[[str], None]) -> None:
        super().__init__(name="vboard-reader", daemon=True)
        self._machine = machine
        self._condition = condition
        self._feeds: dict[Any, Callable[[bytes], None]] = {machine.qmp: qmp, machine.agent: agent}
        self._died = died

    def run(self) -> None:
        """Feeds received data, each time with the condition held; reports the death last."""
        with selectors.DefaultSelector() as selector:
            for connection in self._feeds:
                selector.register(connection, selectors.EVENT_READ)
            selector.register(self._machine.pidfd, selectors.EVENT_READ)
            gone = False
            while not gone:
                ready = {key.fileobj for key, _ in selector.select()}
                gone = self._machine.pidfd in ready
                for connection in self._feeds:
                    if connection in ready and not self._take(connection):
                        selector.unregister(connection)
        for connection in self._feeds:  # what was still on its way
            self._take(connection)
        with self._condition:
            self._machine.process.wait(30)
            self._died(self._machine.ending())
            self._condition.notify_all()

    def _take(self, connection: Any) -> bool:
        """Takes all that a connection has now; whether more can come."""
        while True:
            try:
                data = connection.recv(1 << 18)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            # The agent's frames from before a reset have arrived when qemu reports the reset, and come before it.
            if connection is self._machine.qmp:
                self._take(self._machine.agent)
            with self._condition:
                self._feeds[connection](data)

"""Writes the state of a running machine to a file, and reads it back into one that waits for it."""

from __future__ import annotations

import time
from pathlib import Path

from .errors import BoardError
from .qmp import QMP

_EVENTS = {"capabilities": [{"capability": "events", "state": True}]}


def save_state(qmp: QMP, state: Path, deadline: float) -> None:
    """Stops the machine and writes its state to a file; it cannot go on afterwards."""
    qmp.command("stop")
    seen = qmp.mark()
    qmp.command("migrate-set-capabilities", _EVENTS)
    qmp.command("migrate-set-parameters", {"max-bandwidth": 1 << 40})
    with state.open("wb") as file:
        qmp.command("getfd", {"fdname": "state"}, file=file.fileno())
        qmp.command("migrate", {"uri": "fd:state"})
    _moved(qmp, seen, deadline)


def restore_state(qmp: QMP, state: Path, deadline: float) -> None:
    """Reads a state into a machine that was started with `incoming`, and lets it run."""
    seen = qmp.mark()
    qmp.command("migrate-set-capabilities", _EVENTS)
    with state.open("rb") as file:
        qmp.command("getfd", {"fdname": "state"}, file=file.fileno())
        qmp.command("migrate-incoming", {"uri": "fd:state"})
    _moved(qmp, seen, deadline)
    qmp.command("cont")


def _moved(qmp: QMP, seen: int, deadline: float) -> None:
    event = qmp.wait_event("MIGRATION", since=seen, timeout=max(1, deadline - time.monotonic()),
                           matching=lambda data: data["status"] in ("completed", "failed"))
    if event["data"]["status"] == "failed":
        raise BoardError("qemu could not move the board's state", remedy="delete the cached image: "
                         "cross/vboard/images --clean")

"""A service on the board whose settings a system follows, and the clients that change them while its disk is logged."""

from __future__ import annotations

import itertools
import json
import time
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from vboard.board import Board, BoardError

from .oplog import OperationLog
from .states import DOCUMENT, PARTS, SCHEMA, SETTINGS, document, may, values

LIMIT = 60.0
"""Seconds for a start and for a client's call, on a board whose processor others use."""
CRASH = "crash point "
"""The last output of a service that dies at a crash point, before the name of the crash point."""


class ClientFailed(BoardError):
    """A client was refused, or its service has died."""


@dataclass(frozen=True)
class Programs:
    """The program that runs on the board."""

    writer: Path
    service: Path
    client: Path
    crashing: Path


class BoardService:
    """A `cleatd` on the board, with its state in `cleat` and its system in `root` of a place; as a context, it is killed
    at the end."""

    def __init__(self, board: Board, programs: Programs, place: str) -> None:
        self.board = board
        self._place = place
        self.runtime = f"/run/{place.strip('/').replace('/', '-')}"
        config = f"{self.runtime}.config"
        # The files of the disk must belong to root.
        board.run(f"mkdir -p {self.runtime} {config}/schema.d; "
                  f"[ $(stat -c %u {place}) = 0 ] || chown -R 0:0 {place}").check()
        board.put(SCHEMA.encode(), f"{config}/schema.d/10-demo.json", 0o644)
        self._words = ["/tmp/cleatd", "--state", f"{place}/cleat", "--runtime", self.runtime, "--config", config,
                       "--root", f"{place}/root"]
        for program, name in ((programs.service, "cleatd"), (programs.client, "cleat")):
            if board.run(["test", "-x", f"/tmp/{name}"]).status != 0:
                board.put(program, f"/tmp/{name}")

    def __enter__(self) -> BoardService:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.board.alive:
            self.kill()

    def start(self, **environment: str) -> None:
        """Starts it, with these variables, and waits until it serves."""
        self._process = self.board.spawn(self._words, environment=environment)
        while True:
            line = self._process.read_line(LIMIT, stream="err")
            if line is None:
                raise BoardError(f"cleatd did not start: {self.said}")
            if "serves" in line:
                return

    def kill(self) -> None:
        """Ends it as a crash would."""
        self._process.signal(9)
        self._process.wait(LIMIT)

    def died_at(self) -> str | None:
        """Waits for its end, and returns the name of the crash point at which it died; None if it ended otherwise."""
        self._process.wait(LIMIT)
        last = self.said.rpartition("\n")[2]
        return last.removeprefix(CRASH) if last.startswith(CRASH) else None

    @property
    def said(self) -> str:
        """The end of what it has said."""
        return self._process.err.decode("utf-8", "replace").strip()[-300:]

    def change(self, state: int) -> tuple[str, ...]:
        """The words for a client that makes a state, for which two files are put on the board."""
        settings: dict[str, Any] = {}
        for path, value in zip(SETTINGS, values(state)):
            *groups, name = path.split("/")
            if groups[0] != "documents":
                reduce(lambda group, key: group.setdefault(key, {}), groups, settings)[name] = value
        self.board.put(json.dumps(settings).encode(), f"{self.runtime}.json", 0o600)
        self.board.put(document(state), f"{self.runtime}.document", 0o600)
        return "apply", f"{self.runtime}.json", "--file", f"{DOCUMENT}={self.runtime}.document"

    def packed(self) -> bytes:
        """The system that follows the settings, for `read_archive`."""
        return self.board.run(["tar", "-C", self._place, "-cf", "-", *PARTS]).check().out

    def cleat(self, *words: str) -> int:
        """Runs a client, which must succeed, and returns its generation."""
        return int(self.ask(*words)["generation"])

    def ask(self, *words: str) -> dict[str, Any]:
        """Runs a client, which must succeed, and returns its answer."""
        result = self.board.run(["/tmp/cleat", *words, "--output", "json"], timeout=LIMIT,
                                environment={"CLEAT_SOCKET": f"{self.runtime}/socket"})
        if result.status != 0:
            raise ClientFailed(f"cleat {' '.join(words)[:60]} ended with {result.status}: "
                               f"{result.error_text.strip()[-300:]}; cleatd: {self.said}")
        return dict(json.loads(result.text))


class Clients:
    """Change the settings by every verb, one after the other, and note in the disk's log the states that a cut may leave.

    Each client is run from here to its end: the operations of the disk that it causes follow the note that describes
    them.
    """

    def __init__(self, service: BoardService, log: OperationLog) -> None:
        self._service = service
        self._log = log
        self._state = 0
        self._told = 0
        self._numbers = itertools.count(1)

    def run(self, seconds: float, least: int = 2) -> None:
        """Goes round all ways for so many seconds, and at least so often; a round is started if there is time for it."""
        start = time.monotonic()
        rounds = 0
        while rounds < least or (time.monotonic() - start) * (rounds + 1) / rounds < seconds:
            self._round()
            rounds += 1
        self._log.note("done")

    def _round(self) -> None:
        first = next(self._numbers)
        generation = self._do(first, *self._service.change(first))
        self._try(confirmed=True)
        self._try(confirmed=False)
        self._do(first, "rollback", str(generation))
        # A change on trial continues if only the service is restarted.
        self._try(confirmed=True, killed=True)
        self._try(confirmed=False, killed=True)
        self._do(0, "unset", *SETTINGS)
        self._try(first, "rollback", str(generation), confirmed=True)

    def _try(self, state: int | None = None, *words: str, confirmed: bool, killed: bool = False) -> None:
        """A change on trial, which a cut undoes until it is confirmed."""
        number = next(self._numbers)
        state = number if state is None else state
        words = words or self._service.change(state)
        self._do(self._state, *words, "--confirm", "1d", "--id", f"trial-{number}")
        if killed:
            self._service.kill()
            self._service.start()
        if confirmed:
            self._do(state, "confirm", f"trial-{number}")
        else:
            self._do(self._state, "abort", f"trial-{number}")

    def _do(self, state: int, *words: str) -> int:
        self._log.note(may(self._state, state))
        generation = self._service.cleat(*words)
        self._state = state
        self._told += 1
        self._log.note(may(state, state))
        self._log.note(str(self._told))
        return generation

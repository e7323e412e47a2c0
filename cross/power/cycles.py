"""Kills a board while clients change settings, drops the disk's cache, and starts it again: the service, end to end."""

from __future__ import annotations

import json
import random
import threading
from pathlib import Path
from typing import Callable

from vboard.board import Board, BoardError, Disk

from .cycle import Cycle
from .disk import VolatileDisk
from .guest import GuestFailed, mount
from .nbd import NBDServer
from .survivors import Fate
from .variants import make_disk

SERIAL = "state"
MOUNTED = "/mnt/state"
SOCKET = "/run/cleat/socket"
CLIENTS = 2
LOSSES = (Fate.NONE, Fate.SOME, Fate.TORN, Fate.NEWEST)
_LIMIT = 90.0

# Two settings that every call sets to the same number show a partial change.
_CLIENT = """#!/bin/sh
export CLEAT_SOCKET=%s
n=$2
while :; do
    n=$((n + 1))
    /tmp/cleat set network/interfaces/left$1/mtu=$n network/interfaces/right$1/mtu=$n >/dev/null || exit 1
    echo $n
done
""" % SOCKET
_FIRST = 1000


class Cycles:
    """Runs cycles on one disk; each begins with the disk of the one before.

    As a control it has no barriers, and all of the cache is lost: acknowledged changes must be lost.
    """

    def __init__(self, service: Path, client: Path, work: Path, seed: int, say: Callable[[str], None],
                 logs: Path | None = None, *, control: bool = False) -> None:
        self._service = service
        self._client = client
        self._image = work / "cycles.img"
        self._socket = work / "cycles.sock"
        self._chance = random.Random(f"cycles {seed}")
        self._seed = seed
        self._say = say
        self._logs = logs
        self._control = control
        self.cycles: list[Cycle] = []
        # The number from which each client continues.
        self._reached = [_FIRST] * CLIENTS

    def run(self, count: int) -> list[Cycle]:
        """Cuts the power so many times; the end of each cycle is the check after its cut.

        Raises if the test itself cannot continue; `cycles` has the results until then.
        """
        make_disk(self._image)
        cycles = self.cycles
        board: Board | None = None
        try:
            for number in range(count + 1):
                disk = VolatileDisk(self._image)
                try:
                    with NBDServer(disk, self._socket) as server:
                        if board is None:
                            board = Board.start("bare", disks=[Disk(server.uri, serial=SERIAL)],
                                                log_directory=self._logs)
                        else:
                            board.restart()
                        before = cycles[-1] if cycles else None
                        self._start_service(board, before)
                        if before is not None:
                            self._check(board, before)
                            self._say(self._told(before))
                        if number == count:
                            return cycles
                        cycles.append(self._write_and_cut(board, disk, number + 1))
                finally:
                    disk.close()
        finally:
            if board is not None:
                board.close()
        return cycles

    def _start_service(self, board: Board, before: Cycle | None) -> None:
        board.put(self._service, "/tmp/cleatd")
        board.put(self._client, "/tmp/cleat")
        board.put(_CLIENT.encode(), "/tmp/client")
        mount(board, SERIAL, MOUNTED, "commit=300,barrier=0" if self._control else "commit=300")
        board.run("mkdir -p /run/cleat /tmp/root /tmp/config").check()
        self._process = board.spawn(["/tmp/cleatd", "--state", f"{MOUNTED}/store/cleat", "--runtime", "/run/cleat",
                                     "--config", "/tmp/config", "--root", "/tmp/root"])
        try:
            board.wait_for(SOCKET, timeout=_LIMIT)
        except BoardError as error:
            said = self._process.err.decode("utf-8", "replace").strip()[-500:]
            if before is None:
                raise GuestFailed(f"cleatd did not start on an empty disk: {said or error}") from error
            before.problems.append(f"cleatd did not start after the cut: {said or error}")
            raise

    def _ask(self, board: Board, *words: str) -> object:
        result = board.run(["/tmp/cleat", *words, "--output", "json"], environment={"CLEAT_SOCKET": SOCKET},
                           timeout=_LIMIT).check()
        return json.loads(result.text)

    def _check(self, board: Board, cycle: Cycle) -> None:
        cycle.checked.append("starts")
        values = {}
        reply = self._ask(board, "list", "network/interfaces", "--only-set")
        settings = reply.get("settings", []) if isinstance(reply, dict) else []
        for setting in settings:
            values[setting["path"]] = setting["value"]
        for client in range(CLIENTS):
            left = values.get(f"network/interfaces/left{client}/mtu")
            right = values.get(f"network/interfaces/right{client}/mtu")
            if left != right:
                cycle.problems.append(f"client {client}: a partial change is stored: {left} and {right}")
            told, number = cycle.acknowledged[client], left if isinstance(left, int) else _FIRST
            if number < told:
                cycle.problems.append(f"client {client}: {told} was acknowledged, {left} is stored")
            cycle.found.append(left if isinstance(left, int) else None)
            self._reached[client] = number
        cycle.checked += ["acknowledged", "whole"]
        # All of them are reports of damage: quarantined files, a restored second copy, an in-memory fallback.
        status = self._ask(board, "status")
        for note in status["store_notes"] if isinstance(status, dict) else ["cleat status printed no object"]:
            cycle.problems.append(f"the store was damaged: {note}")
        cycle.checked.append("not quarantined")
        history = self._ask(board, "log")
        generations = history.get("generations", []) if isinstance(history, dict) else []
        numbers = [one["number"] for one in generations]
        if not numbers:
            cycle.problems.append("the history is empty")
        elif numbers != list(range(numbers[0], numbers[0] - len(numbers), -1)):
            cycle.problems.append(f"the history has gaps: {numbers[:20]}")
        cycle.checked.append("history")

    def _write_and_cut(self, board: Board, disk: VolatileDisk, number: int) -> Cycle:
        cycle = Cycle(number, self._control)
        enough = threading.Event()
        wanted = self._chance.randint(6, 20)
        told = list(self._reached)
        clients = [board.spawn(["/bin/sh", "/tmp/client", str(client), str(told[client])]) for client in range(CLIENTS)]
        start = sum(told)
        failures: list[str] = []

        def listen(client: int) -> None:
            try:
                for line in clients[client].lines(_LIMIT):
                    told[client] = int(line)
                    if sum(told) - start >= wanted:
                        enough.set()
                failures.append(clients[client].err.decode("utf-8", "replace").strip()[-200:])
                enough.set()
            except BoardError:
                # The end of the board is the end of its lines; all that came before it was taken.
                enough.set()

        threads = [threading.Thread(target=listen, args=(client,), daemon=True) for client in range(CLIENTS)]
        for thread in threads:
            thread.start()
        if not enough.wait(_LIMIT) or failures:
            raise GuestFailed(f"the clients could not set anything: {'; '.join(failures) or 'no answer'}")
        # Anywhere in the middle of the next commits.
        disk.cut_after(self._chance.randint(0, 40), loaded=self._chance.random() < 0.7)
        if not disk.power_failed.wait(_LIMIT):
            raise GuestFailed("the guest stopped writing to its disk")
        board.cut()
        for thread in threads:
            thread.join(_LIMIT)
        cycle.fate = (Fate.NONE if self._control else self._chance.choice(LOSSES)).value
        cycle.lost_bytes = disk.cut(Fate(cycle.fate), f"{self._seed}.{number}")
        cycle.acknowledged = told
        return cycle

    @staticmethod
    def _told(cycle: Cycle) -> str:
        name = "control cycle without barriers" if cycle.control else f"cycle {cycle.number}"
        return (f"{name}: acknowledged {cycle.acknowledged}, found {cycle.found}, cache {cycle.fate} "
                f"({cycle.lost_bytes} bytes lost): {cycle.outcome}")

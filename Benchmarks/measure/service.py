"""A `cleatd` with directories of its own, and connections to it."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from toolchain.failure import Failure

from .settings import MAP, ONE, settings
from .workspace import Workspace, environment

#: Seconds for a start and for an answer; a healthy service needs a fraction of one, also below valgrind.
LIMIT = 120.0
_BATCH = 4000


class Connection:
    """An open connection to a service."""

    def __init__(self, path: Path) -> None:
        """Connects to a socket."""
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(LIMIT)
        self._socket.connect(str(path))

    def __enter__(self) -> Connection:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self._socket.close()

    def exchange(self, message: bytes) -> bytes:
        """Sends a message and returns the answer, both without the NUL that ends them."""
        self._socket.sendall(message + b"\0")
        answer = bytearray()
        while not answer.endswith(b"\0"):
            part = self._socket.recv(1 << 16)
            if not part:
                raise Failure(f"the service at {self._path} closed the connection; see the log next to it")
            answer += part
        return bytes(answer[:-1])

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Calls a method, such as `Settings.Get`; an error is a failure."""
        answer = json.loads(self.exchange(message(method, **parameters).encode()))
        if "error" in answer:
            raise Failure(f"{method} at {self._path} was refused: {json.dumps(answer)[:300]}")
        return dict(answer.get("parameters", {}))

    def set(self, values: Iterable[tuple[str, object]]) -> None:
        """Changes settings in transactions of at most 4,000."""
        changes = [{"path": path, "value": value} for path, value in values]
        for start in range(0, len(changes), _BATCH):
            self.call("Settings.Set", changes=changes[start:start + _BATCH])


def message(method: str, **parameters: object) -> str:
    """Returns the text of a call."""
    return json.dumps({"method": f"dev.cleat.{method}", "parameters": parameters})


def change(path: str) -> str:
    """Returns the text of a set of one setting, whose value is `{n}`."""
    return message("Settings.Set", changes=[{"path": path, "value": "{n}"}]).replace('"{n}"', "{n}")


class Service:
    """A `cleatd`; it runs between `start` and `stop`, and its data remains."""

    def __init__(
        self, workspace: Workspace, programs: Path, name: str, *, directory: Path | None = None,
        schemas: Mapping[str, object] | None = None, hooks: Mapping[str, object] | None = None,
        configuration: Mapping[str, object] | None = None,
    ) -> None:
        """Makes its directories, with the map of settings and further schema files, and hooks; does not start it."""
        self.workspace, self.programs, self.name = workspace, programs, name
        self.directory = (directory or workspace.data) / name
        self.runtime = workspace.short / name
        self.socket = self.runtime / "socket"
        self.root = self.directory / "root"
        config = self.directory / "config"
        for place in (config / "schema.d", config / "hooks.d", self.root / "etc", self.runtime):
            place.mkdir(parents=True)
        for file, schema in {"bench": MAP, **(schemas or {})}.items():
            (config / "schema.d" / f"{file}.json").write_text(json.dumps(schema))
        for file, hook in (hooks or {}).items():
            (config / "hooks.d" / f"{file}.json5").write_text(json.dumps(hook))
        if configuration:
            (config / "cleatd.json5").write_text(json.dumps(configuration))
        self.command = [str(word) for word in (
            programs / "cleatd", "--state", self.directory / "state", "--runtime", self.runtime, "--config", config,
            "--root", self.root)]
        self.environment = environment({"CLEAT_SOCKET": self.socket})
        self.process: subprocess.Popen[Any] | None = None
        #: The last generation, where a row needs it.
        self.generation = 0

    @property
    def pid(self) -> int:
        """The number of its process."""
        assert self.process is not None
        return self.process.pid

    @property
    def log(self) -> str:
        """All of its messages."""
        return (self.directory / "log").read_text("utf-8", "replace")

    def start(self, prefix: Sequence[object] = ()) -> Service:
        """Starts it, with the words of another program in front of its own, and waits for READY=1."""
        path = self.workspace.short / f"{self.name}.notify"
        path.unlink(missing_ok=True)
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify, open(self.directory / "log", "ab") as log:
            notify.bind(str(path))
            self.process = self.workspace.start(
                [*prefix, *self.command], env=environment({"NOTIFY_SOCKET": path}), stdout=log, stderr=log)
            end = time.monotonic() + LIMIT
            while True:
                if time.monotonic() > end:
                    raise Failure(f"{self.command[0]} has not reported READY=1 within {LIMIT:.0f} s: "
                                  f"{self.log.strip()[-500:]}", then="see whether the machine is overloaded")
                if not select.select([notify], [], [], 0.2)[0]:
                    if self.process.poll() is not None:
                        raise Failure(f"{self.command[0]} ended with status {self.process.returncode} at its start: "
                                      f"{self.log.strip()[-500:]}")
                    continue
                if b"READY=1" in notify.recv(4096).split(b"\n"):
                    return self

    def stop(self) -> None:
        """Ends it."""
        if self.process:
            self.workspace.stop(self.process)
            self.process = None

    def kill(self, value: int) -> None:
        """Starts it, sets a setting, and ends it with SIGKILL: the next start finds what a power cut leaves."""
        with self.start().connect() as connection:
            connection.set([(ONE, value)])
        os.kill(self.pid, signal.SIGKILL)
        assert self.process is not None
        self.process.wait(LIMIT)
        self.stop()

    def connect(self) -> Connection:
        """Opens a connection."""
        return Connection(self.socket)

    def fill(self, count: int) -> Service:
        """Sets so many settings of the map."""
        with self.connect() as connection:
            connection.set(settings(count))
        return self

    def cleat(self, *words: object) -> list[str]:
        """Returns the words of a `cleat` that uses this service in `environment`."""
        return [str(self.programs / "cleat"), *(str(word) for word in words)]

    def stop_traced(self) -> None:
        """Ends it where `start` had strace in front of it: strace ends after its child."""
        assert self.process is not None
        children = Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        for child in children:
            os.kill(int(child), signal.SIGTERM)
        self.process.wait(LIMIT)
        self.stop()

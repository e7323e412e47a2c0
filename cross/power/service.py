"""A service of this machine on the disk after a cut, and its clients."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import select
import socket
import subprocess
from pathlib import Path
from typing import Any

from .states import SCHEMA, SETTINGS, document, values

LIMIT = 30.0
"""Seconds for its start, its end and each answer; a healthy one needs a fraction of one."""


class ServiceFailed(Exception):
    """The service failed."""


class Service:
    """A `cleatd` with its own root directory, which ends with the context."""

    def __init__(self, program: Path, state: Path, root: Path, scratch: Path, schema: str = SCHEMA) -> None:
        """Makes its configuration, with one schema file, and its socket's directory in `scratch`."""
        self._messages = scratch / "messages"
        self._socket = scratch / "run/socket"
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._notify.bind(str(scratch / "notify"))
        schemas = scratch / "config/schema.d"
        schemas.mkdir(parents=True)
        (schemas / "10-demo.json").write_text(schema)
        self._words = [str(program), "--state", str(state), "--runtime", str(scratch / "run"), "--config",
                       str(scratch / "config"), "--root", str(root)]
        self._environment = {**os.environ, "NOTIFY_SOCKET": str(scratch / "notify")}

    def __enter__(self) -> Service:
        """Starts it; it has recovered, and serves, when this returns."""
        with open(self._messages, "wb") as messages:
            self._process = subprocess.Popen(
                self._words, stdin=subprocess.DEVNULL, stdout=messages, stderr=messages, env=self._environment)
        try:
            self._wait_until_ready()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._notify.close()

    def _wait_until_ready(self) -> None:
        end = os.pidfd_open(self._process.pid)
        try:
            while True:
                ready = select.select([self._notify, end], [], [], LIMIT)[0]
                if self._notify in ready:
                    if b"READY=1" in self._notify.recv(4096).split(b"\n"):
                        return
                elif ready:
                    raise ServiceFailed(f"it ended with status {self._process.wait()}: {self.messages[-300:]}")
                else:
                    raise ServiceFailed(f"it was not ready after {LIMIT:g} s: {self.messages[-300:]}")
        finally:
            os.close(end)

    @property
    def messages(self) -> str:
        """All of its messages."""
        return self._messages.read_text("utf-8", "replace").strip()

    def call(self, method: str, **parameters: object) -> dict[str, Any]:
        """Calls a method of its interfaces, as `Settings.List`, and returns the answer."""
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(LIMIT)
            try:
                link.connect(str(self._socket))
                link.sendall(json.dumps({"method": f"dev.cleat.{method}", "parameters": parameters}).encode() + b"\0")
                answer = bytearray()
                while not answer.endswith(b"\0"):
                    piece = link.recv(1 << 16)
                    if not piece:
                        raise ServiceFailed(f"{method} was not answered: {self.messages[-300:]}")
                    answer += piece
            except OSError as error:
                raise ServiceFailed(f"{method}: {error}") from error
        reply = json.loads(answer[:-1])
        if "error" in reply:
            raise ServiceFailed(f"{method}: {reply['error']} {json.dumps(reply.get('parameters', {}))[:300]}")
        return dict(reply.get("parameters", {}))

    def make(self, number: int, **options: object) -> None:
        """Makes a state, its document included."""
        content = document(number)
        uploads = [f"state-{number}"] if number else []
        for upload in uploads:
            self.call("Files.Begin", id=upload, area="temporary", path=upload, size=len(content),
                      sha256=hashlib.sha256(content).hexdigest())
            self.call("Files.Write", id=upload, offset=0, data=base64.b64encode(content).decode())
        self.call("Settings.Set", uploads=uploads, **options, changes=[
            {"path": path, "value": value} for path, value in zip(SETTINGS, values(number))])
        for upload in uploads:
            self.call("Files.Abort", id=upload)

    def stop(self) -> None:
        """Stops it; it must end without an error."""
        self._process.terminate()
        try:
            status = self._process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            raise ServiceFailed(f"it did not end within {LIMIT:g} s") from None
        if status != 0:
            raise ServiceFailed(f"it ended with status {status}: {self.messages[-300:]}")

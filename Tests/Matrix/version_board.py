"""A board with a service of one release: a root directory, state and configuration of its own, in namespaces.

The rest of the machine cannot be written there. The board's state is read by Varlink calls of this program, which no client
of either release takes part in.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from version_releases import REPOSITORY, Release

sys.path.insert(0, str(REPOSITORY / "cross"))

from toolchain import children  # noqa: E402

#: Seconds until a program must have ended or be ready.
PATIENCE = 60.0
SHUT_OUT = """
mount --make-rprivate /
mount -t sysfs -o ro none /sys
mount --bind /proc/sys /proc/sys
mount -o remount,bind,ro /proc/sys
mount --bind $D $D
mount -o remount,bind,ro /
mount -t tmpfs -o mode=755 none /run
hostname board
ip link set lo up
touch $D/ready
while :; do sleep 600; done
"""
SCHEMA = {
    "type": "object",
    "properties": {"app": {"type": "object", "properties": {
        "text": {"type": "string"},
        "label": {"type": "string", "default": "none", "description": "Text on the label."},
        "count": {"type": "integer", "maximum": 1000},
        "ratio": {"type": "number"},
        "enabled": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}},
        "map": {"type": "object", "additionalProperties": {"type": "integer"}},
        "password": {"type": "string", "writeOnly": True},
    }}},
}
HOOK = '{ match: { source: "setting", subject: "app/enabled" }, run: ["/bin/sh", "-c", "echo $CLEAT_SUBJECT"] }\n'


class Failed(Exception):
    """The reason why a cell failed."""


class Board:
    """A board, without a service at first. It is a context manager; nothing of it remains afterwards."""

    def __init__(self) -> None:
        # The path of a socket has at most 107 bytes.
        self.disk = Path(tempfile.mkdtemp(prefix="cv-", dir="/var/tmp"))
        self._holder: subprocess.Popen[bytes] | None = None
        self._init = 0
        self._service: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Board:
        try:
            for name in ("etc/schema.d", "etc/hooks.d", "root/etc", "root/usr/share/zoneinfo/Europe", "tmp", "work"):
                (self.disk / name).mkdir(parents=True)
            for path in (self.disk, self.disk / "etc", self.disk / "etc/hooks.d"):
                path.chmod(0o755)
            self.write("etc/schema.d/site.json", json.dumps(SCHEMA))
            self.write("etc/hooks.d/note.json5", HOOK)
            self.write("root/etc/hostname", "factory\n")
            self.write("root/usr/share/zoneinfo/Europe/Berlin", "zone")
            shutil.copytree(REPOSITORY / "deploy/schemas", self.disk / "root/usr/share/cleat/schemas")
            self._start_namespaces()
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kills all of its processes and removes its disk."""
        if self._holder is not None:
            for number in children_of(self._holder.pid) or [self._holder.pid]:
                os.kill(number, signal.SIGKILL)
            for process in filter(None, (self._holder, self._service)):
                process.wait(PATIENCE)
        shutil.rmtree(self.disk, ignore_errors=True)

    def _start_namespaces(self) -> None:
        with (self.disk / "boot.log").open("wb") as log:
            self._holder = children.start(
                ["unshare", "--mount", "--net", "--uts", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-ec",
                 SHUT_OUT],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self.environment)
        self.eventually("the namespaces are ready", self._is_up)

    def _is_up(self) -> bool:
        assert self._holder is not None
        if self._holder.poll() is not None:
            raise Failed(f"no namespaces: {self._log('boot.log')}")
        found = children_of(self._holder.pid)
        self._init = found[0] if found else 0
        return bool(found) and (self.disk / "ready").exists()

    # MARK: The service

    def start(self, release: Release) -> None:
        """Starts the service of a release and waits until it answers."""
        if not self.launch(release):
            raise Failed(f"cleatd of {release.name} ended: {self._log('cleatd.log')}")

    def launch(self, release: Release) -> bool:
        """Starts the service of a release; returns true once it answers, and false if it ends."""
        with (self.disk / "cleatd.log").open("wb") as log:
            places = [word for name, part in (("state", "state"), ("runtime", "run"), ("config", "etc"), ("root", "root"))
                      for word in (f"--{name}", str(self.disk / part))]
            self._service = subprocess.Popen(
                self.inside([str(release.cleatd), *places]), stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                env=self.environment)
        process = self._service
        self.eventually("cleatd answers", lambda: process.poll() is not None or self._answers())
        return process.poll() is None

    def _answers(self) -> bool:
        try:
            self.call("dev.cleat.Service.Status")
        except OSError:
            return False
        return True

    def stop(self, number: signal.Signals = signal.SIGTERM) -> str:
        """Ends the service by a signal; returns its log."""
        assert self._service is not None
        for pid in children_of(self._service.pid):
            os.kill(pid, number)
        self._service.wait(PATIENCE)
        return self.service_log

    @property
    def service_log(self) -> str:
        """The text that the present or the last service has logged."""
        return self._log("cleatd.log")

    # MARK: Its state

    def call(self, method: str, **parameters: Any) -> Any:
        """Makes a Varlink call; returns the parameters of the reply, or raises Failed with the error."""
        name, found = self.reply(method, **parameters)
        if name:
            raise Failed(f"{method} {json.dumps(parameters)}: {name} {json.dumps(found)}")
        return found

    def reply(self, method: str, **parameters: Any) -> tuple[str, Any]:
        """Makes a Varlink call; returns the name of the error, which is empty without one, and the parameters."""
        message = self._messages({"method": method, "parameters": parameters})[-1]
        return message.get("error", ""), message.get("parameters", {})

    def stream(self, method: str, **parameters: Any) -> list[Any]:
        """Makes a Varlink call with several replies; returns the parameters of all."""
        messages = self._messages({"method": method, "parameters": parameters, "more": True})
        if "error" in messages[-1]:
            raise Failed(f"{method}: {messages[-1]}")
        return [message.get("parameters", {}) for message in messages]

    def _messages(self, call: dict[str, Any]) -> list[Any]:
        """Makes a call; returns its replies up to the last one."""
        messages: list[Any] = []
        with socket.socket(socket.AF_UNIX) as link:
            link.settimeout(PATIENCE)
            link.connect(str(self.disk / "run/socket"))
            link.sendall(json.dumps(call).encode() + b"\0")
            text = b""
            while not messages or messages[-1].get("continues"):
                while b"\0" not in text:
                    piece = link.recv(1 << 20)
                    if not piece:
                        raise ConnectionError(f"{call['method']}: the service closed the connection")
                    text += piece
                message, _, text = text.partition(b"\0")
                messages.append(json.loads(message))
        return messages

    def set(self, values: dict[str, Any], **parameters: Any) -> Any:
        """Changes settings by a call; a value of None unsets its setting."""
        changes = [{"path": path} if value is None else {"path": path, "value": value} for path, value in values.items()]
        return self.call("dev.cleat.Settings.Set", changes=changes, **parameters)

    def value(self, path: str) -> Any:
        """Returns the value of a setting in force; None if it is unset. Secrets are revealed."""
        return self.call("dev.cleat.Settings.Get", path=path, reveal=True)["setting"].get("value")

    def trial(self) -> str | None:
        """Returns the id of the change on trial."""
        trial = self.call("dev.cleat.Service.Status").get("trial")
        return trial["id"] if trial else None

    def write(self, name: str, text: str) -> Path:
        """Writes a file below the board's directory; returns its path."""
        path = self.disk / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def read(self, name: str) -> str | None:
        """Returns the text of a file below the board's directory; None if there is none."""
        path = self.disk / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    # MARK: Programs

    @property
    def environment(self) -> dict[str, str]:
        """The variables of all programs on the board."""
        return {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "NO_COLOR": "1",
                "D": str(self.disk), "CLEAT_SOCKET": str(self.disk / "run/socket"), "TMPDIR": str(self.disk / "tmp")}

    def inside(self, words: list[str]) -> list[str]:
        """Returns the command that runs a command in the board's namespaces."""
        return ["nsenter", "--target", str(self._init), "--mount", "--net", "--uts", "--pid", f"--wd={self.disk}/work", *words]

    def program(self, words: list[str]) -> tuple[int, str, str]:
        """Runs a program in the board's namespaces; returns its status, its output and its error output."""
        done = subprocess.run(
            self.inside(words), stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace",
            timeout=PATIENCE, env=self.environment, check=False)
        return done.returncode, done.stdout, done.stderr

    def eventually(self, what: str, holds: Callable[[], bool]) -> None:
        """Waits until a condition holds."""
        end = time.monotonic() + PATIENCE
        while not holds():
            if time.monotonic() > end:
                raise Failed(f"not within {PATIENCE:.0f} s: {what}")
            time.sleep(0.02)

    def _log(self, name: str) -> str:
        return " / ".join((self.read(name) or "").splitlines()[-12:])


def children_of(number: int) -> list[int]:
    """Returns the child processes of a process."""
    try:
        return [int(word) for word in Path(f"/proc/{number}/task/{number}/children").read_text().split()]
    except (FileNotFoundError, ProcessLookupError):
        return []

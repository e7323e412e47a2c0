"""The requests to a board: commands, files, waits."""

from __future__ import annotations

import abc
import os
import struct
import time
from pathlib import Path

from .agent_link import EXEC, EXEC_STDIN, EXEC_TERMINAL, FAILED, GET, PUT, WAIT, AgentLink
from .errors import BoardError
from .explained import Explained
from .process import Completed, Process

ENVIRONMENT = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "USER": "root",
               "LOGNAME": "root", "LANG": "C.UTF-8", "TERM": "dumb"}


class Guest(abc.ABC):
    """Asks the agent of a board; a subclass has the link to it."""

    @abc.abstractmethod
    def _connected(self) -> AgentLink:
        """The link; raises `BoardError` where the board is off."""

    @abc.abstractmethod
    def _explained(self, doing: str) -> Explained:
        """Adds what was being done, and the end of the console, to an error."""

    def run(self, command: str | list[str], *, input: bytes = b"", timeout: float = 60,
            environment: dict[str, str] | None = None, user: str = "", directory: str = "") -> Completed:
        """Runs a command to its end; a string goes through the board's shell, a list is run as it is."""
        with self._explained("running a command"):
            process = self._spawn(command, environment, user, directory, EXEC_STDIN if input else 0, timeout)
            if input:
                process.write(input, timeout)
                process.close_input()
            return process.completed(timeout)

    def spawn(self, command: str | list[str], *, environment: dict[str, str] | None = None, user: str = "",
              directory: str = "", terminal: bool = False, timeout: float = 60) -> Process:
        """Starts a long-running command and returns when its program runs."""
        with self._explained("starting a command"):
            return self._spawn(command, environment, user, directory, EXEC_TERMINAL if terminal else EXEC_STDIN, timeout)

    def _spawn(self, command: str | list[str], environment: dict[str, str] | None, user: str, directory: str, flags: int,
               timeout: float) -> Process:
        link = self._connected()
        arguments = ["/bin/sh", "-c", command] if isinstance(command, str) else list(command)
        variables = [f"{name}={value}" for name, value in (ENVIRONMENT | (environment or {})).items()]
        if user and user != "root":
            variables = [f"{name}={value}" for name, value in
                         (ENVIRONMENT | {"HOME": f"/home/{user}", "USER": user, "LOGNAME": user} | (environment or {})).items()]
        payload = bytes([flags]) + terminated(user) + terminated(directory)
        for group in (arguments, variables):
            payload += struct.pack("<H", len(group)) + b"".join(map(terminated, group))
        if len(payload) > 65000:
            raise BoardError("the command and its environment are longer than 65,000 bytes",
                             remedy="put a script on the board and run that")
        what = f"“{command if isinstance(command, str) else ' '.join(command)}”"[:200]
        deadline = time.monotonic() + timeout
        job = link.open(EXEC, payload, what, deadline)
        link.wait(lambda: job.pid is not None or job.over, deadline, f"starting {what}")
        process = Process(link, job, group=isinstance(command, str))
        if job.ending is not None and job.ending[0] == FAILED:
            process.wait(1)  # raises with the reason
        return process

    def put(self, source: Path | bytes, destination: str, mode: int = 0o755, *, timeout: float = 120) -> None:
        """Writes a file on the board, in one step: a program that runs is replaced, a full disk leaves what was there."""
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
        with self._explained(f"copying {destination} to the board"):
            self._connected().transfer(PUT, struct.pack("<I", mode) + terminated(destination), f"writing {destination}",
                                       time.monotonic() + timeout, data)

    def get(self, path: str, *, timeout: float = 120) -> bytes:
        """Reads a file of the board."""
        with self._explained(f"copying {path} from the board"):
            return self._connected().transfer(GET, terminated(path), f"reading {path}", time.monotonic() + timeout)

    def wait_for(self, pattern: str, *, present: bool = True, content: str | None = None,
                 timeout: float = 30) -> list[str]:
        """Waits until a path that matches `pattern` is there (or none is) and, with `content`, holds just that text.

        The board looks again at each uevent and ten times a second, so a plugged device is seen when it appears.
        """
        flags = (1 if present else 0) | (2 if content is not None else 0)
        said = f"{pattern} to be {'there' if present else 'gone'}" + (f" with {content!r}" if content is not None else "")
        with self._explained(f"waiting for {said}"):
            found = self._connected().transfer(WAIT, bytes([flags]) + terminated(pattern) + terminated(content or ""),
                                               f"waiting for {said}", time.monotonic() + timeout)
        return found.decode().splitlines()

    def settle(self, *, timeout: float = 60) -> None:
        """Waits until udevd has nothing left to do, where udevd runs."""
        if self.run(["sh", "-c", "test -S /run/udev/control"]).status == 0:
            self.run(["udevadm", "settle", f"--timeout={int(timeout)}"], timeout=timeout + 10).check()

    def journal(self) -> str:
        """The log of this boot: of the kernel, and of the services where they log."""
        return self.run("if command -v journalctl >/dev/null; then exec journalctl -b --no-pager -o short-monotonic; fi; "
                        "dmesg; logread 2>/dev/null; true", timeout=120).text


def terminated(text: str) -> bytes:
    """A string as the agent takes it; a NUL inside would end it early."""
    if "\0" in text:
        raise BoardError("a string for the board holds a NUL")
    return os.fsencode(text) + b"\0"

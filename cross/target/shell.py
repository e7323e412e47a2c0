"""Targets that are reached through a program which runs one line in the target's `/bin/sh`."""

from __future__ import annotations

import abc
import os
import shlex
from collections.abc import Mapping, Sequence

from target.errors import TargetError, TargetGone, TargetTimeout
from target.piped import PipedProcess, run_bounded
from target.process import Completed, Process
from target.target import Target, content, shell_line

#: The command's own line is `$0`; its number comes first, so that it can be killed when its time is over. In a session
#: of its own its group has the same number. The subshell keeps setsid from forking, `exit` keeps the outer shell there
#: to say which signal it was.
_WRAPPER = "(exec setsid sh -c 'echo $$; exec sh -c \"$0\"' {line}); exit $?"


class ShellTarget(Target):
    """Runs commands, copies files and ends what it started; a subclass says how a line reaches the target's shell."""

    def __init__(self) -> None:
        self._processes: list[PipedProcess] = []
        self._closed = False

    @abc.abstractmethod
    def _arguments(self, line: str) -> list[str]:
        """The program of this machine, with its arguments, that runs a line in the target's shell."""

    @abc.abstractmethod
    def _gone(self) -> str | None:
        """Why the target is not there any more; None where it is. Asked after a failure, so it may take a second."""

    def _wrapped(self, command: str | Sequence[str], environment: Mapping[str, str] | None) -> list[str]:
        # dropbear gives a path without the sbin directories.
        line = 'PATH="$PATH:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"; export PATH; '
        line += shell_line(command, environment)
        return self._arguments(_WRAPPER.format(line=shlex.quote(line)))

    def _run(
        self, command: str | Sequence[str], input: bytes, timeout: float, environment: Mapping[str, str] | None,
    ) -> tuple[int, bytes, bytes]:
        if self._closed:
            raise TargetGone(f"{self.name} is closed")
        seconds = self.limit(timeout)
        status, out, err = run_bounded(self._wrapped(command, environment), input=input, seconds=seconds)
        first, _, rest = out.partition(b"\n")
        pid = int(first) if first.isdigit() else None
        if status is None:
            if why := self._gone():
                raise TargetGone(f"{self.name}: {why}, while {_excerpt(command)} ran")
            if pid:
                self._kill(pid, 9, True)
            said = (rest + err)[-2000:].decode(errors="replace")
            raise TargetTimeout(f"{self.name}: {_excerpt(command)} did not end within {seconds:.0f} s; it said: {said}")
        if pid is None:
            why = self._gone() or err.decode(errors="replace").strip() or f"status {status}"
            raise TargetGone(f"{self.name} did not run {_excerpt(command)}: {why}")
        if status == 255 and (why := self._gone()):
            raise TargetGone(f"{self.name}: {why}, while {_excerpt(command)} ran")
        return status if status >= 0 else 128 - status, rest, err

    def _kill(self, pid: int, number: int, group: bool) -> None:
        status, _, err = run_bounded(
            self._arguments(f"kill -{number} {'-' if group else ''}{pid}"), input=b"", seconds=self.limit(5))
        if status is None or status == 255:
            raise TargetGone(f"{self.name}: {self._gone() or 'a signal could not be sent: ' + err.decode()}")

    def run(
        self, command: str | Sequence[str], *, input: bytes = b"", timeout: float = 30,
        environment: Mapping[str, str] | None = None,
    ) -> Completed:
        status, out, err = self._run(command, input, timeout, environment)
        return Completed(status, out.decode(errors="surrogateescape"), err.decode(errors="surrogateescape"))

    def spawn(
        self, command: str | Sequence[str], *, environment: Mapping[str, str] | None = None, input: bool = False,
    ) -> Process:
        if self._closed:
            raise TargetGone(f"{self.name} is closed")
        process = PipedProcess(
            self._wrapped(command, environment), what=f"{self.name}: {_excerpt(command)}", slowness=self.slowness,
            kill=self._kill, gone=self._gone, input=input)
        self._processes = [other for other in self._processes if not other._closed] + [process]
        return process

    def put(self, source: str | os.PathLike[str] | bytes, path: str, *, mode: int = 0o644) -> None:
        where = shlex.quote(path)
        # A process that runs the old file keeps it, and no reader gets a part of the new one.
        script = (
            f"mkdir -p \"$(dirname {where})\" && cat >{where}.new && chmod {mode:o} {where}.new "
            f"&& mv -f {where}.new {where}")
        status, _, err = self._run(script, content(source), 60, None)
        if status != 0:
            raise TargetError(f"{self.name}: {path} could not be written: {err.decode(errors='replace').strip()}")

    def get(self, path: str) -> bytes:
        status, out, err = self._run(["cat", path], b"", 60, None)
        if status != 0:
            raise TargetError(f"{self.name}: {path} could not be read: {err.decode(errors='replace').strip()}")
        return out

    def is_alive(self) -> bool:
        return not self._closed and self._gone() is None

    def _end_processes(self) -> None:
        for process in self._processes:
            process.close()
        self._processes = []


def _excerpt(command: str | Sequence[str]) -> str:
    text = command if isinstance(command, str) else shlex.join(command)
    return text if len(text) <= 120 else text[:117] + "…"

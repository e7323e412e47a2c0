"""Child processes that do not outlive the program that started them, whatever ends it."""

from __future__ import annotations

import os
import queue
import shutil
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import Any

#: PR_SET_PDEATHSIG covers the time after the call only: a parent that has died before is detected by its number.
_ALONE = '[ "$PPID" = "$0" ] || exit 143; exec "$@"'
#: The shell leads the group. At the parent's end it gets SIGUSR1 and kills the group; after a SIGTERM the other processes
#: end in order.
_GROUP = """
trap 'kill -KILL 0' USR1
trap : TERM
[ "$PPID" = "$0" ] || exit 143
exec 3<&0
"$@" <&3 3<&- &
while :; do
    wait $!
    status=$?
    kill -0 $! 2>/dev/null || exit $status
done
"""


class _Starter:
    """Starts processes from one thread that lives as long as this process.

    The kernel sends the signal of PR_SET_PDEATHSIG when the thread that started the child ends, not the process: the
    children of a worker thread would die with that thread.
    """

    def __init__(self) -> None:
        self._requests: queue.Queue[tuple[list[str], dict[str, Any], queue.Queue[Any]]] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._pid = 0
        self._lock = threading.Lock()

    def start(self, arguments: list[str], options: dict[str, Any]) -> subprocess.Popen[Any]:
        """Starts a process, or raises what `subprocess.Popen` raises."""
        with self._lock:
            if self._thread is None or self._pid != os.getpid():
                self._requests, self._pid = queue.Queue(), os.getpid()
                self._thread = threading.Thread(target=self._serve, name="starter", daemon=True)
                self._thread.start()
        answer: queue.Queue[Any] = queue.Queue()
        self._requests.put((arguments, options, answer))
        result = answer.get()
        if isinstance(result, BaseException):
            raise result
        return result  # type: ignore[no-any-return]

    def _serve(self) -> None:
        while True:
            arguments, options, answer = self._requests.get()
            try:
                answer.put(subprocess.Popen(arguments, **options))
            except BaseException as error:  # passed to the thread that called
                answer.put(error)


_STARTER = _Starter()


def start(arguments: Sequence[str], *, group: bool = False, **options: Any) -> subprocess.Popen[Any]:
    """Starts a program in a process group of its own, which dies with this process, however that ends.

    With `group` all processes of its group die with it, and a signal that ends it is reported as a shell does: 128 and
    its number. Raises `FileNotFoundError` if the program, or `setpriv`, is not on PATH.
    """
    path = (options.get("env") or os.environ).get("PATH", os.defpath)
    program = shutil.which(arguments[0], path=path)
    setpriv = shutil.which("setpriv", path=os.environ.get("PATH", os.defpath) + ":/usr/bin:/bin")
    for found, name in ((program, arguments[0]), (setpriv, "setpriv")):
        if found is None:
            raise FileNotFoundError(f"no {name} on PATH")
    words = [setpriv, "--pdeathsig", "USR1" if group else "KILL", "--", "/bin/sh", "-c", _GROUP if group else _ALONE,
             str(os.getpid()), program, *arguments[1:]]
    return _STARTER.start(words, {"process_group": 0, **options})  # type: ignore[arg-type]


def stop(child: subprocess.Popen[Any], *, grace: float = 2) -> int:
    """Ends a child and its group: SIGTERM first, SIGKILL after the grace; returns the status.

    Its streams stay open: a thread may read them, and closing would wait for it.
    """
    for number in (signal.SIGTERM, signal.SIGKILL):
        if child.poll() is not None:
            break
        try:
            os.killpg(child.pid, number)
        except ProcessLookupError:
            pass
        try:
            child.wait(grace)
        except subprocess.TimeoutExpired:
            continue
    return child.wait(grace)


def run(
    arguments: Sequence[str], *, seconds: float | None = None, input: str | bytes | None = None, capture: bool = False,
    grace: float = 5, **options: Any,
) -> subprocess.CompletedProcess[Any]:
    """Runs a program to its end, as `subprocess.run` does; its group is killed at the time limit, and when this
    process is terminated or dies. Raises `subprocess.TimeoutExpired`, and the errors of `start`."""
    if capture:
        options |= {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    child = start(arguments, group=True, stdin=subprocess.DEVNULL if input is None else subprocess.PIPE, **options)
    try:
        out, err = child.communicate(input, timeout=seconds)
    except BaseException:
        stop(child, grace=grace)
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream is not None:
                stream.close()
        raise
    return subprocess.CompletedProcess(list(arguments), child.returncode, out, err)


def environment(extra: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment for programs of this machine whose messages are read: in English, in UTF-8."""
    return {**os.environ, "LC_ALL": "C.UTF-8", **(extra or {})}

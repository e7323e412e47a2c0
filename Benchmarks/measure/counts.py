"""Exact figures of processes: system calls, page faults, instructions, and what reaches a device."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from toolchain.failure import Failure

from .workspace import Workspace, run

_QUIET = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, "/dev/null", os.O_WRONLY, 0)]
_STRACE = ("strace", "-f", "-q", "-o")
_CALLGRIND = ("valgrind", "-q", "--tool=callgrind")


@dataclass(frozen=True)
class Usage:
    """The resources of a process that has ended."""

    seconds: float
    faults: int


def spawn(command: Sequence[str], variables: Mapping[str, str]) -> Usage:
    """Runs a process that must succeed to its end, without input and output."""
    start = time.perf_counter()
    pid = os.posix_spawnp(command[0], command, variables, file_actions=_QUIET)
    _, status, usage = os.wait4(pid, 0)
    seconds = time.perf_counter() - start
    if status:
        raise Failure(f"{' '.join(command)[:200]} ended with status {os.waitstatus_to_exitcode(status)}")
    return Usage(seconds, usage.ru_minflt)


def lacking(program: str, package: str) -> str | None:
    """Returns the reason why a program cannot be used, or None."""
    return None if shutil.which(program) else f"{program} is missing; install it: apt-get install {package}"


class Lacking(Failure):
    """Says that the machine lacks a part for a group of rows, or refuses it."""


def strace_lacks() -> str | None:
    """Returns the reason why strace cannot trace a process here, or None."""
    reason = lacking("strace", "strace")
    if reason:
        return reason
    done = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return None
    said = (done.stderr.strip().splitlines() or [f"status {done.returncode}"])[-1]
    return f"strace cannot trace here: {said[:200]}"


def system_calls(workspace: Workspace, command: Sequence[str], variables: Mapping[str, str]) -> int:
    """Counts the system calls of a process and its threads, from its execve to its end."""
    log = workspace.data / "strace"
    run(*_STRACE, log, *command, env=variables)
    return calls(log.read_text("utf-8", "replace").splitlines())


def calls(lines: Iterable[str]) -> int:
    """Counts the system calls in the lines of strace.

    A search of the dynamic loader for a library that is elsewhere is not counted: the number of places depends on the
    processor.
    """
    found, searched = 0, ""
    for line in lines:
        # A call that another thread interrupts has two lines; the second one is marked.
        if "resumed>" in line or not re.match(r"\d+ +\w+\(", line):
            continue
        search = re.search(r'openat\(AT_FDCWD, "(/.*)/[^/"]+\.so[.\d]*", .* = -1 ENOENT', line)
        # After a search in vain the loader asks once whether the directory exists.
        asks = searched and re.search(rf'stat(at)?\((AT_FDCWD, )?"{re.escape(searched)}", ', line)
        searched = search[1] if search else ""
        if not search and not asks:
            found += 1
    return found


def instructions(workspace: Workspace, command: Sequence[str], variables: Mapping[str, str]) -> int:
    """Counts the instructions of a process by callgrind."""
    log = workspace.data / "callgrind"
    run(*_CALLGRIND, f"--callgrind-out-file={log}", *command, env=variables)
    return _total(log)


def _total(file: Path) -> int:
    found = re.search(r"^(?:totals|summary): (\d+)", file.read_text("utf-8", "replace"), re.MULTILINE)
    if found is None:
        raise Failure(f"{file} of callgrind has no total; see the version of valgrind")
    return int(found[1])


class CallgrindRun:
    """Counts the instructions of a service between two points of its life."""

    def __init__(self, workspace: Workspace) -> None:
        """Names the files of the counts."""
        self._files = workspace.data / "callgrind-service"
        self._number = 0
        #: The words in front of the service's own.
        self.prefix = [*_CALLGRIND, f"--callgrind-out-file={self._files}"]

    def count(self, pid: int, work: Callable[[], object]) -> int:
        """Returns the instructions of the service while `work` runs."""
        self._dump(pid)
        work()
        return self._dump(pid)

    def _dump(self, pid: int) -> int:
        self._number += 1
        run("callgrind_control", "--dump", pid)
        return _total(Path(f"{self._files}.{self._number}"))


@contextlib.contextmanager
def traced(workspace: Workspace, pid: int, counts: list[int]) -> Iterator[None]:
    """Counts the system calls of a running process; appends the number to `counts` at the end."""
    log = workspace.data / "strace-attached"
    tracer = workspace.start([*_STRACE, log, "-p", pid], stderr=subprocess.DEVNULL)
    while not _is_traced(pid):
        if tracer.poll() is not None:
            raise Lacking(f"strace cannot attach to the service (status {tracer.returncode}); "
                          "see /proc/sys/kernel/yama/ptrace_scope, or run it as root")
        time.sleep(0.01)
    try:
        yield
    finally:
        tracer.send_signal(signal.SIGINT)
        tracer.wait()
        workspace.stop(tracer)
    counts.append(sum("resumed>" not in line and re.match(r"\d+ +\w+\(", line) is not None
                      for line in log.read_text("utf-8", "replace").splitlines()))


def _is_traced(pid: int) -> bool:
    """Returns true once every thread of a process has a tracer."""
    try:
        return all("TracerPid:\t0\n" not in (task / "status").read_text()
                   for task in Path(f"/proc/{pid}/task").iterdir())
    except OSError:
        # A thread has ended meanwhile.
        return False


def page_faults(pid: int) -> int:
    """Returns the minor page faults of a running process. proc_pid_stat(5), minflt"""
    return int(_stat(pid)[7])


def cpu_seconds(pid: int) -> float:
    """Returns the processor time of a running process in seconds, from its scheduler's nanoseconds."""
    return sum(int((task / "schedstat").read_text().split()[0])
               for task in Path(f"/proc/{pid}/task").iterdir()) / 1e9


def _stat(pid: int) -> list[str]:
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()


def memory(pid: int) -> dict[str, float]:
    """Returns the fields of `smaps_rollup` in MB, such as `Pss_Anon` and `Pss`."""
    found = {}
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.endswith(" kB"):
            name, value, _ = line.split()
            found[name.rstrip(":")] = int(value) * 1024 / 1e6
    return found


def activity(pid: int) -> tuple[float, float, float]:
    """Returns the context switches of all threads, the writes, and the processor time in ms of a running process."""
    switches = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        switches += sum(int(value) for value in re.findall(r"ctxt_switches:\s*(\d+)", (task / "status").read_text()))
    found = re.search(r"^syscw: (\d+)", Path(f"/proc/{pid}/io").read_text(), re.MULTILINE)
    return switches, int(found[1]) if found else 0, cpu_seconds(pid) * 1e3


def settle(pid: int, seconds: float = 10, still: int = 3) -> None:
    """Waits until a process sleeps: its processor time stands still for `still` times 50 ms."""
    former, same, end = -1.0, 0, time.monotonic() + seconds
    while same < still and time.monotonic() < end:
        time.sleep(0.05)
        current = cpu_seconds(pid)
        same = same + 1 if current == former else 0
        former = current


class Device:
    """A loop device with an ext4 of its own, whose image is in memory."""

    def __init__(self, workspace: Workspace, name: str = "device") -> None:
        """Makes and mounts it; it ends with the workspace."""
        try:
            memory_directory = workspace.mount(workspace.short / name, "-t", "tmpfs", "-o", "size=400m", "tmpfs")
            image = memory_directory / "image"
            with image.open("wb") as file:
                file.truncate(384 << 20)
            run("mke2fs", "-q", "-F", "-t", "ext4", "-E", "lazy_itable_init=0,lazy_journal_init=0", image)
            # The journal is written when a program flushes, not by a timer.
            self.directory = workspace.mount(memory_directory / "mounted", "-o", "loop,commit=3600,noatime", image)
        except Failure as error:
            raise Lacking(f"no loop device can be mounted here: {error}") from error
        number = self.directory.stat().st_dev
        self._file = Path(f"/sys/dev/block/{os.major(number)}:{os.minor(number)}/stat")
        if len(self._file.read_text().split()) < 17:
            raise Lacking(f"{self._file} has no flushes: the kernel is older than Linux 5.5")

    def count(self, work: Callable[[], object], runs: int) -> tuple[float, float]:
        """Returns the bytes and the flushes that reach the device a run of `work`; a closing sync is included."""
        before = self._figures()
        for _ in range(runs):
            work()
        after = self._figures()
        return (after[0] - before[0]) / runs, (after[1] - before[1]) / runs

    def _figures(self) -> tuple[int, int]:
        run("sync", "-f", self.directory)
        fields = self._file.read_text().split()
        return int(fields[6]) * 512, int(fields[15])


def loop_device_lacks() -> str | None:
    """Returns the reason why this machine cannot mount a file as a device, or None."""
    if os.geteuid() != 0:
        return "mounting a loop device takes root"
    if not Path("/dev/loop-control").exists():
        return "the machine has no loop devices (/dev/loop-control)"
    return lacking("mke2fs", "e2fsprogs")

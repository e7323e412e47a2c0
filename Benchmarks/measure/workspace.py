"""The directories, mounts and processes of one run, which end with it."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

from toolchain.failure import MISSING, Failure

REPOSITORY = Path(__file__).resolve().parents[2]
#: Set in the process that runs in namespaces of its own.
_APART = "CLEAT_BENCH_APART"


def enter_namespaces(*, network: bool) -> None:
    """Runs this program again in a mount namespace of its own, with `network` in a network namespace as well.

    Without root, or where the kernel refuses it, the program goes on where it is: `is_apart` is then false.
    """
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    if os.geteuid() != 0 or _APART in os.environ:
        return
    words = ["unshare", "--mount", "--propagation", "private", *(["--net"] if network else [])]
    if subprocess.run([*words, "true"], capture_output=True, check=False).returncode == 0:
        os.environ[_APART] = "1"
        os.execvp(words[0], [*words, sys.executable, *sys.argv])


def mount_own_sysfs() -> None:
    """Shows the devices of this run's network namespace in its /sys."""
    if is_apart():
        subprocess.run(["mount", "-t", "sysfs", "sysfs", "/sys"], capture_output=True, check=False)
        subprocess.run(["ip", "link", "set", "lo", "up"], capture_output=True, check=False)


def is_apart() -> bool:
    """Returns true in a mount namespace of this run."""
    return _APART in os.environ


def run(*command: object, **options: Any) -> str:
    """Runs a command that must succeed; returns its standard output."""
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, **options)
    if done.returncode:
        raise Failure(f"{' '.join(words)[:200]} ended with status {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def note(text: str) -> None:
    """Prints progress on a terminal's standard error."""
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def programs_in(directory: Path, remedy: str) -> Path:
    """Returns a directory that has `cleat` and `cleatd`, as an absolute path."""
    for name in ("cleat", "cleatd"):
        if not os.access(directory / name, os.X_OK):
            raise Failure(f"there is no program {directory / name}", then=remedy, status=MISSING)
    return directory.resolve()


class Workspace:
    """A directory on the measured disk, a directory with short names for sockets, and what was started there."""

    def __init__(self, base: Path | None = None) -> None:
        """Makes the directories; the data is below `base`, by default in `.build` of the repository."""
        base = base or REPOSITORY / ".build"
        base.mkdir(exist_ok=True)
        self.data = Path(tempfile.mkdtemp(prefix="cleat-data.", dir=base))
        self.short = Path(tempfile.mkdtemp(prefix="cleat-bench.", dir="/tmp"))
        self._processes: list[subprocess.Popen[Any]] = []
        self._mounts: list[Path] = []
        self._directories = [self.data, self.short]

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        for process in list(reversed(self._processes)):
            self.stop(process)
        for mount in reversed(self._mounts):
            # Lazily: a process of another program may still use it. A loop device ends with its last mount.
            subprocess.run(["umount", "--lazy", mount], capture_output=True, check=False)
        for directory in self._directories:
            shutil.rmtree(directory, ignore_errors=True)

    def start(self, command: Sequence[object], **options: Any) -> subprocess.Popen[Any]:
        """Starts a process that ends with the workspace."""
        process = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL, **options)
        self._processes.append(process)
        return process

    def stop(self, process: subprocess.Popen[Any]) -> None:
        """Ends a process: SIGTERM first, SIGKILL after ten seconds."""
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process in self._processes:
            self._processes.remove(process)

    def mount(self, target: Path, *words: object) -> Path:
        """Mounts on a new directory; the mount ends with the workspace."""
        target.mkdir(parents=True, exist_ok=True)
        run("mount", *words, target)
        self._mounts.append(target)
        return target

    def memory(self) -> Path:
        """Makes a directory in memory: on `/dev/shm`, or on the measured disk without it."""
        base = Path("/dev/shm") if os.access("/dev/shm", os.W_OK) else self.data
        directory = Path(tempfile.mkdtemp(prefix="cleat-bench.", dir=base))
        self._directories.append(directory)
        return directory

    def build_tools(self) -> Path:
        """Compiles the probe and the hook, both static and small; returns their directory."""
        compiler = shutil.which("cc") or shutil.which("clang")
        if compiler is None:
            raise Failure("there is no C compiler", then="apt-get install gcc", status=MISSING)
        for source, name in (("Probe/probe.c", "probe"), ("Hook/hook.c", "hook")):
            run(compiler, "-O2", "-static", "-s", "-o", self.short / name, REPOSITORY / "Benchmarks" / source)
        return self.short

    def copy_of(self, programs: Path) -> Path:
        """Copies `cleat` and `cleatd` without their debug information, which valgrind cannot read in every format."""
        copy = self.short / f"programs{len(list(self.short.glob('programs*')))}"
        copy.mkdir()
        for name in ("cleat", "cleatd"):
            shutil.copy(programs / name, copy / name)
        return copy


def environment(values: Mapping[str, object]) -> dict[str, str]:
    """Returns this process's environment with some values."""
    return {**os.environ, **{name: str(value) for name, value in values.items()}}

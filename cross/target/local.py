"""This machine as a target."""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys

from target.errors import TargetError
from target.shell import ShellTarget
from target.veth import VethLinks
from toolchain import children
from toolchain.scratch import Scratch

#: The first process of the private namespaces: says that it is there, buries orphans, ends with its input. With it the
#: kernel ends everything else in its process namespace.
_INIT = """
import os, signal, sys
def bury(*_):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]: pass
    except ChildProcessError: pass
signal.signal(signal.SIGCHLD, bury)
os.write(1, b"ready\\n")
while os.read(0, 1): pass
"""

#: An empty /run hides a udevd of this machine, whose group does not reach into another network namespace; sysfs has to
#: be mounted again to show that namespace's devices.
_SETUP = """
mount -t tmpfs -o mode=755 none /run && mount -t sysfs none /sys && ip link set lo up && exec "$0" -c "$1"
"""


class LocalTarget(VethLinks, ShellTarget):
    """Runs commands on this machine, in a directory of its own.

    As root it does so in mount, network, process, host name and IPC namespaces of its own: the machine's interfaces,
    mounts and processes are not touched. An ordinary user has none of these, and tests that need them are skipped.
    """

    def __init__(self) -> None:
        ShellTarget.__init__(self)
        self.name = "local"
        self.architecture = platform.machine()
        self._scratch = Scratch("cleat-local-")
        self.directory = str(self._scratch.path)
        self._veths = set()
        self._init: subprocess.Popen[bytes] | None = None
        self._enter: list[str] = []
        if os.geteuid() == 0:
            self.capabilities |= {"root"}
            if self._make_namespaces():
                self.capabilities |= {"mount"}
                self._find_veth()

    def _make_namespaces(self) -> bool:
        if not all(shutil.which(name) for name in ("unshare", "nsenter", "ip")):
            return False
        self._init = children.start(
            ["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--kill-child", "--mount-proc",
             "sh", "-c", _SETUP, sys.executable, _INIT],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        assert self._init.stdout is not None
        # The line comes, or the end of the output does: unshare says no at once.
        if self._init.stdout.readline() != b"ready\n":
            children.stop(self._init)
            self._init = None
            return False
        # unshare stays outside; its only child is the first process of the new namespaces.
        with open(f"/proc/{self._init.pid}/task/{self._init.pid}/children", encoding="ascii") as file:
            first = file.read().split()[0]
        self._enter = [
            "nsenter", "--target", first, "--mount", "--net", "--uts", "--ipc", "--pid", "--wdns=" + self.directory]
        return True

    def _arguments(self, line: str) -> list[str]:
        return [*self._enter, "/bin/sh", "-c", line]

    def _gone(self) -> str | None:
        if self._init is not None and self._init.poll() is not None:
            return "its namespaces have ended"
        return None

    def close(self) -> None:
        if self._closed:
            return
        self._end_processes()
        self._closed = True
        if self._init is not None:
            assert self._init.stdin is not None
            self._init.stdin.close()
            try:
                self._init.wait(5)
            except subprocess.TimeoutExpired:
                pass
            children.stop(self._init)
            if self._init.stdout is not None:
                self._init.stdout.close()
        self._scratch.close()
        if os.path.exists(self.directory):
            raise TargetError(f"{self.directory} could not be removed; see what is in it, and remove it by hand")

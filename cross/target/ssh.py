"""A board behind ssh as a target."""

from __future__ import annotations

import os
import re
import select
import shlex
import subprocess
import time
from collections.abc import Sequence

from target.errors import TargetError, TargetGone, TargetMissing, TargetTimeout
from target.piped import remaining, run_bounded
from target.shell import ShellTarget
from target.veth import VethLinks
from toolchain import children
from toolchain.scratch import Scratch

#: The facts that tests depend on, as words; the board is asked once.
_FACTS = r"""
uname -m
[ "$(id -u)" = 0 ] && echo root
[ -S /run/udev/control ] && echo udev
[ -d /run/systemd/system ] && echo systemd
[ "$(readlink /proc/1/exe)" = "$(readlink -f "$(command -v busybox)")" ] && echo busybox-init
true
"""

#: A directory that programs may be started from, wherever this board has one.
_MAKE_DIRECTORY = r"""
umask 022
for place in "${TMPDIR:-/tmp}" /tmp /var/tmp /run "$HOME"; do
    made=$(mktemp -d "$place/cleat-target-XXXXXX" 2>/dev/null) || continue
    chmod 755 "$made"
    if printf '#!/bin/sh\n' >"$made/try" && chmod 755 "$made/try" && "$made/try" 2>/dev/null; then
        rm "$made/try"
        echo "$made"
        exit 0
    fi
    rm -r "$made"
done
echo "no directory to start programs from (/tmp, /var/tmp, /run, \$HOME are read-only, full or noexec)" >&2
exit 1
"""

_MAKE_DISK = r"""
place=/var/tmp
case $(stat -f -c %T "$place" 2>/dev/null) in tmpfs|ramfs|overlayfs|'') exit 0 ;; esac
mktemp -d "$place/cleat-disk-XXXXXX"
"""


class SSHTarget(VethLinks, ShellTarget):
    """Runs commands through the OpenSSH client, over one connection that all share.

    The far side may be as small as dropbear with BusyBox: files go through `cat`, there is neither scp nor sftp nor
    bash. Every wait has a limit; no ssh process outlives the target (or this program).
    """

    def __init__(
        self, address: str, *, ssh: Sequence[str] = ("ssh",), may_reboot: bool = False, slowness: float = 5,
        connect_timeout: float = 10,
    ) -> None:
        """Connects.

        `address` is `ssh://[user@]host[:port]`; `ssh` is the client with options of the user's own (a key, a
        configuration). `may_reboot` allows tests to restart the board.
        """
        ShellTarget.__init__(self)
        match = re.fullmatch(r"ssh://(?:([^@/]+)@)?(\[[^\]]+\]|[^:/@\s-][^:/@\s]*)(?::(\d+))?/?", address)
        if not match:
            raise ValueError(f"{address} is not of the form ssh://[user@]host[:port]")
        user, host, port = match.groups()
        self.name = address
        self.slowness = slowness
        self._host = (f"{user}@" if user else "") + host.strip("[]")
        self._seconds = connect_timeout
        self._scratch = Scratch("cleat-ssh-")
        self._control = str(self._scratch.path / "control")
        self._master: subprocess.Popen[bytes] | None = None
        self._common = [
            *ssh, *(["-p", port] if port else []), "-o", "BatchMode=yes", "-o", f"ConnectTimeout={int(connect_timeout)}",
            "-o", "ServerAliveInterval=5", "-o", "ServerAliveCountMax=3", "-o", f"ControlPath={self._control}"]
        self._veths = set()
        self.directory = ""
        try:
            self._connect(time.monotonic() + connect_timeout + 5)
            self._look_around(may_reboot)
        except BaseException:
            self.close()
            raise

    def _look_around(self, may_reboot: bool) -> None:
        facts = self.check(_FACTS, timeout=10).split()
        self.architecture = facts[0]
        self.capabilities |= set(facts[1:])
        self.directory = self.check(_MAKE_DIRECTORY, timeout=10).strip()
        if "root" in self.capabilities:
            self.capabilities |= {"mount"}
            self._find_veth()
            if may_reboot:
                self.capabilities |= {"reboot"}
                if disk := self.check(_MAKE_DISK, timeout=10).strip():
                    self.disk = disk
                    self.capabilities |= {"disk"}

    def _connect(self, deadline: float) -> None:
        """Opens the connection that the others share; ssh itself says when it stands."""
        messages = open(self._scratch.path / "messages", "wb+")
        with messages:
            try:
                self._master = children.start(
                    [*self._common, "-M", "-N", "-o", "ControlMaster=yes", "-o", "ControlPersist=no",
                     "-o", "PermitLocalCommand=yes", "-o", "LocalCommand=echo connected", self._host],
                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=messages, env=children.environment())
            except FileNotFoundError as error:
                raise TargetMissing(f"{self.name} cannot be reached: {error}; apt-get install openssh-client") from error
            reader = self._master.stdout
            assert reader is not None
            os.set_blocking(reader.fileno(), False)
            poll = select.poll()
            poll.register(reader.fileno(), select.POLLIN | select.POLLHUP)
            said = b""
            while b"connected\n" not in said:
                if not poll.poll(remaining(deadline) * 1000):
                    break
                block = os.read(reader.fileno(), 4096)
                if not block:
                    break
                said += block
            if b"connected\n" in said:
                return
            self._end_master()
            messages.seek(0)
            why = messages.read().decode(errors="replace").strip() or f"no answer within {self._seconds:.0f} s"
        raise TargetGone(f"{self.name} cannot be reached: {why}")

    def _arguments(self, line: str) -> list[str]:
        # Where the shared connection has gone a command must not open one of its own: that could take minutes.
        return [*self._common, "-o", "ControlMaster=no", "-o", "ProxyCommand=false", "-T", self._host, line]

    def _gone(self) -> str | None:
        if self._master is None:
            return "it is not connected"
        if self._master.poll() is not None:
            return "the connection has ended"
        status, out, err = run_bounded(self._arguments("echo alive"), input=b"", seconds=self.limit(2))
        if status == 0 and out == b"alive\n":
            return None
        return f"it does not answer {err.decode(errors='replace').strip()}".strip()

    def _disconnect(self) -> None:
        if self._master is not None:
            run_bounded([*self._common, "-O", "exit", self._host], input=b"", seconds=3)
            self._end_master()

    def _end_master(self) -> None:
        assert self._master is not None and self._master.stdout is not None
        children.stop(self._master)
        self._master.stdout.close()
        self._master = None

    def reboot(self) -> None:
        if "reboot" not in self.capabilities:
            super().reboot()
        before = self.check("cat /proc/sys/kernel/random/boot_id").strip()
        # The command returns before the connection is torn down under it.
        self.check("(sleep 1; reboot) >/dev/null 2>&1 </dev/null &")
        self._end_processes()
        deadline = time.monotonic() + max(120, self.limit(60))
        why: TargetError | None = None
        while time.monotonic() < deadline:
            self._disconnect()
            try:
                self._connect(time.monotonic() + self._seconds)
                if self.check("cat /proc/sys/kernel/random/boot_id", timeout=5).strip() != before:
                    self.check(["mkdir", "-p", self.directory])
                    self._veths.clear()
                    return
            except (TargetGone, TargetTimeout, AssertionError) as error:
                why = error if isinstance(error, TargetError) else None
            # There is no event when a remote board is up again; sshd is queried once a second.
            time.sleep(1)
        raise TargetGone(f"{self.name} did not answer after the reboot: {why or 'it never went down'}")

    def close(self) -> None:
        if self._closed:
            return
        try:
            self._end_processes()
            if self._master is not None and self._gone() is None:
                self._remove_veths()
                places = [place for place in (self.directory, self.disk) if place]
                if places:
                    self.run("rm -rf " + shlex.join(places), timeout=10)
        except TargetError:
            # The target is lost; nothing on it can be removed any more.
            pass
        finally:
            self._closed = True
            self._disconnect()
            self._scratch.close()

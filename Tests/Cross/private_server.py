"""A private ssh server on loopback with keys of its own, as a board that tests can kill."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cross"))

from toolchain import children  # noqa: E402

#: sshd needs a directory below /run; dropbear reads keys in the user's home. The server gets its own of both, and
#: a process namespace, so that nothing that it starts outlives it.
_OPENSSH = """
mount -t tmpfs -o mode=755 none /run
mkdir -m 0755 /run/sshd
exec "$(command -v sshd)" -D -e -f "$D/sshd_config"
"""
_DROPBEAR = """
mount -t tmpfs -o mode=700 none "$HOME"
mkdir -m 0700 "$HOME/.ssh"
cp "$D/authorized" "$HOME/.ssh/authorized_keys"
exec "$(command -v dropbear)" -F -E -s -p "127.0.0.1:$PORT" -r "$D/host" -P "$D/pid"
"""


def lacks(kind: str) -> str | None:
    """The parts for a private server that this machine lacks; None if it has all."""
    if os.geteuid() != 0:
        return "needs root, to give a private ssh server directories of its own"
    programs = ["ssh", "ssh-keygen", "unshare", *(["sshd"] if kind == "openssh" else ["dropbear", "dropbearkey"])]
    missing = [name for name in programs if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin:/sbin")]
    return f"not installed: {', '.join(missing)}" if missing else None


class PrivateServer:
    """An ssh server that ends with the test. It is a context manager."""

    def __init__(self, kind: str) -> None:
        """Starts `openssh` or `dropbear` on a free port of 127.0.0.1."""
        self.directory = Path(tempfile.mkdtemp(prefix="cleat-server-"))
        self.kind = kind
        self._server: subprocess.Popen[bytes] | None = None
        try:
            self._key("user")
            (self.directory / "authorized").write_bytes((self.directory / "user.pub").read_bytes())
            if kind == "openssh":
                self._key("host")
            else:
                subprocess.run(
                    ["dropbearkey", "-t", "ed25519", "-f", self.directory / "host"], check=True,
                    capture_output=True)
            # If another program takes the port before the bind, the server reports that, and the next one is tried.
            for _ in range(20):
                self.port = random.randint(20_000, 60_000)
                if self._start():
                    break
            else:
                raise RuntimeError("no port was free for the private ssh server")
        except BaseException:
            self.close()
            raise

    def _key(self, name: str) -> None:
        subprocess.run(
            ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.directory / name], check=True)

    def _start(self) -> bool:
        pid = self.directory / "pid"
        (self.directory / "sshd_config").write_text(
            f"Port {self.port}\nListenAddress 127.0.0.1\nHostKey {self.directory}/host\n"
            f"AuthorizedKeysFile {self.directory}/authorized\nPidFile {pid}\nStrictModes no\nUsePAM no\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin prohibit-password\n"
            "PrintMotd no\nMaxSessions 50\n")
        self._server = children.start(
            ["unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", "-ec",
             _OPENSSH if self.kind == "openssh" else _DROPBEAR],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env=children.environment({
                "D": str(self.directory), "PORT": str(self.port), "HOME": "/root",
                "PATH": os.environ["PATH"] + ":/usr/sbin:/sbin"}))
        # Both write their number once they listen.
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and self._server.poll() is None:
            if pid.exists():
                return True
            time.sleep(0.05)
        children.stop(self._server)
        return False

    @property
    def address(self) -> str:
        """The address for `open_target`."""
        return f"ssh://root@127.0.0.1:{self.port}"

    @property
    def ssh(self) -> list[str]:
        """The client with options to reach the server without the user's own configuration."""
        return [
            "ssh", "-F", "none", "-i", str(self.directory / "user"), "-o", "IdentitiesOnly=yes",
            "-o", "StrictHostKeyChecking=no", "-o", f"UserKnownHostsFile={self.directory}/known",
            "-o", "GlobalKnownHostsFile=none", "-o", "LogLevel=ERROR"]

    def _first(self) -> int:
        assert self._server is not None
        path = f"/proc/{self._server.pid}/task/{self._server.pid}/children"
        return int(Path(path).read_text(encoding="ascii").split()[0])

    def kill(self) -> None:
        """Ends the server and all that runs behind it at once, as a cut of the power would."""
        assert self._server is not None
        os.kill(self._first(), signal.SIGKILL)
        self._server.wait(5)

    def freeze(self) -> None:
        """Stops everything behind the server where it is, as a board that hangs."""
        first = self._first()
        space = os.readlink(f"/proc/{first}/ns/pid")
        for entry in Path("/proc").iterdir():
            if entry.name.isdigit():
                try:
                    if os.readlink(entry / "ns/pid") == space:
                        os.kill(int(entry.name), signal.SIGSTOP)
                except OSError:
                    continue

    def close(self) -> None:
        """Ends the server and removes its directory."""
        if self._server is not None:
            if self._server.poll() is None:
                try:
                    self.kill()
                except (OSError, IndexError, subprocess.TimeoutExpired):
                    pass
            children.stop(self._server)
        shutil.rmtree(self.directory, ignore_errors=True)

    def __enter__(self) -> "PrivateServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

"""A booted virtual board, and the package of Cleat on it: installed, upgraded and removed by the board's own programs."""

from __future__ import annotations

import contextlib
import json
import shlex
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "cross"))

from package_versions import Version  # noqa: E402
from vboard import image  # noqa: E402
from vboard.board import Board, Completed, Disk, Process  # noqa: E402
from vboard.errors import BoardError  # noqa: E402

#: Seconds until the agent must answer; an emulated processor is about ten times slower than a board's.
PATIENCE = 60.0
#: Seconds that an installation may take.
INSTALLATION = 300.0
#: The board's directory with the packages; it is not compared.
PACKAGES = "/root/packages"
#: A setting that the whole system follows, and the files in which it is.
NAME = "system/hostname"
NAME_FILES = ("/etc/hostname", "/proc/sys/kernel/hostname")
SYSCTL = "kernel/sysctl/vm.swappiness"
SYSCTL_FILE = "/proc/sys/vm/swappiness"
#: The script that each image's init runs to start the network.
NETWORK = "/usr/lib/vboard/network"
#: The record that the script makes first: the answer of the agent at that time.
AT_NETWORK = "/run/at-network"
#: All paths of the board, with the contents of links and of the files in /etc; without the files that every program writes.
_LISTING = """
find / -xdev \\( -path /proc -o -path /sys -o -path /dev -o -path /run -o -path /tmp -o -path /root -o -path /var/log \\) \
    -prune -o -print | sed 's/^/path /'
find /run -name '*cleat*' | sed 's/^/path /'
find /etc -type f -exec sha256sum {} + | sed 's/^/file /'
find /etc -type l | while read -r link; do echo "link $link $(readlink "$link")"; done
ps -e -o args 2>/dev/null | grep '[/]usr/bin/cleatd' | sed 's/^/process /' || true
"""


class StepFailure(Exception):
    """The reason why a cell failed."""


@dataclass(frozen=True)
class Kind:
    """A kind of board: its image, its package, and the commands of its init system."""

    title: str
    image: str
    #: True if it has dpkg; otherwise install.sh of the tarball is used.
    has_dpkg: bool
    #: The command that controls the service, with VERB in it.
    control: str
    #: Commands that switch the start at boot off, and succeed if it is on.
    disable: str
    is_enabled: str
    #: The longest time until a killed agent starts again, in seconds.
    respawn: float

    def command(self, verb: str) -> str:
        """Returns the command for a verb of the service."""
        return self.control.replace("VERB", verb)

    @property
    def has_systemd(self) -> bool:
        """True if the board's init system is systemd."""
        return self.control.startswith("systemctl")


SYSTEMD = ("systemctl VERB cleatd.service", "systemctl disable cleatd.service", "systemctl is-enabled cleatd.service", 1)
KINDS = {
    "debian12": Kind("Debian 12, systemd, .deb", "debian12", True, *SYSTEMD),
    "debian13": Kind("Debian 13, systemd, .deb", "debian13", True, *SYSTEMD),
    "openrc": Kind("Debian 12, OpenRC, tarball", "openrc", False, "rc-service cleatd VERB", "rc-update del cleatd sysinit",
                   "ls /etc/runlevels/*/cleatd", 5),
    "busybox": Kind("BusyBox, tarball", "busybox", False, "/etc/init.d/S15cleatd VERB", "chmod -x /etc/init.d/S15cleatd",
                    "test -x /etc/init.d/S15cleatd", 1),
}


class PackageBoard:
    """A board of one kind with both versions on its disk. It is a context manager; nothing of it remains afterwards."""

    def __init__(
        self, kind: Kind, versions: tuple[Version, Version], fault: str = "", saved: image.Saved | None = None,
        disk: Path | None = None,
    ) -> None:
        """Starts a board without Cleat, or continues one that `save` has saved; `disk` is its second disk."""
        self.kind = kind
        #: The disks besides that of the root file system. What is on them outlasts the board.
        self.disks = [Disk(disk)] if disk else []
        self.older, self.newer = versions
        #: A script that makes a fault on purpose; empty without one.
        self.fault = fault
        with explained("starting the board"):
            self.board = Board.start_image(image.ensure(kind.image), saved, 256, 1, self.disks, None, 240) if saved else (
                Board.start(kind.image, disks=self.disks))
        try:
            if saved is None:
                for version in versions:
                    self._put(version)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> PackageBoard:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Ends the board."""
        self.board.close()

    def save(self, directory: Path) -> image.Saved:
        """Saves the running board in a directory, and ends it."""
        with explained("saving the board"):
            self.board.save(directory / "state")
            self.board.cut()
            assert self.board.overlay is not None
            shutil.copyfile(self.board.overlay, directory / "disk.qcow2")
        return image.Saved(directory / "state", directory / "disk.qcow2")

    def _put(self, version: Version) -> None:
        source = version.deb if self.kind.has_dpkg else version.tarball
        target = f"{PACKAGES}/{source.name}"
        self.check(f"mkdir -p {PACKAGES}")
        with explained(f"copying {source.name}"):
            self.board.put(source, target, 0o644)
        if not self.kind.has_dpkg:
            self.check(f"cd {PACKAGES} && busybox tar -xJf {target} && rm {target}", INSTALLATION)
        self.check("sync")

    # MARK: The package

    def install_command(self, version: Version) -> str:
        """Returns the command that installs a version."""
        if self.kind.has_dpkg:
            return f"dpkg --install {PACKAGES}/{version.deb.name}"
        return f"{self._script(version)}"

    def _script(self, version: Version) -> str:
        return f"{PACKAGES}/{version.tarball.name.removesuffix('.tar.xz')}/install.sh"

    def install(self, version: Version) -> str:
        """Installs a version and waits until the agent answers; returns what the installation printed."""
        output = self.check(self.install_command(version), INSTALLATION)
        self.wait_until_ready()
        self.require_version(version)
        return output

    def remove(self) -> str:
        """Removes the package; returns what the removal printed."""
        return self.check("dpkg --remove cleat" if self.kind.has_dpkg else f"{self._script(self.older)} --uninstall",
                          INSTALLATION)

    def purge(self) -> str:
        """Removes the package with the store and the configuration."""
        return self.check("dpkg --purge cleat" if self.kind.has_dpkg else f"{self._script(self.older)} --uninstall --purge",
                          INSTALLATION)

    def require_version(self, version: Version) -> None:
        """Fails unless the programs are those of a version, and the package manager has no complaint."""
        found = self.program_versions()
        if found != {version.number}:
            raise StepFailure(f"the programs are of {', '.join(sorted(found))} instead of {version.number}")
        if self.kind.has_dpkg:
            state = self.check("dpkg-query -W -f '${Status} ${Version}' cleat").strip()
            if state != f"install ok installed {version.number}":
                raise StepFailure(f"dpkg has the package as “{state}” instead of {version.number} installed")
            for words in ("dpkg --verify cleat", "dpkg --audit"):
                if output := self.check(words).strip():
                    raise StepFailure(f"{words} prints: {output}")

    def program_versions(self) -> set[str]:
        """Returns the versions of the programs by their checksums; a damaged one is an error."""
        found = set()
        for line in self.check("sha256sum /usr/bin/cleatd /usr/bin/cleat /usr/bin/cleat-location").splitlines():
            digest, path = line.split()
            known = [version.number for version in (self.older, self.newer) if version.sums[path] == digest]
            if not known:
                raise StepFailure(f"{path} is damaged: it is of neither version")
            found.add(known[0])
        return found

    # MARK: The service

    def service(self, verb: str, status: int = 0) -> str:
        """Runs a verb of the service by the board's init system, which has to end with a status."""
        done = self.run(self.kind.command(verb))
        if done.status != status:
            raise StepFailure(f"`{self.kind.command(verb)}` ended with {done.status} instead of {status}: {one_line(done.text)}")
        return done.text

    def wait_until_ready(self, seconds: float = PATIENCE) -> None:
        """Waits until the agent answers."""
        self.eventually("the agent answers", self.is_ready, seconds)

    def is_ready(self) -> bool:
        """Returns true if the agent answers."""
        return self.run("cleat status").status == 0

    def status(self) -> dict[str, Any]:
        """Returns what `cleat status` reports."""
        return dict(self.ask("status"))

    @property
    def pid(self) -> int:
        """The process number of the agent."""
        return int(self.status()["pid"])

    def require_running(self) -> None:
        """Fails unless the agent answers and init reports that it runs, with a line and the status 0."""
        self.wait_until_ready()
        if not self.service("status").strip():
            raise StepFailure(f"`{self.kind.command('status')}` prints nothing")
        program = self.check(f"readlink /proc/{self.pid}/exe").strip()
        if program != "/usr/bin/cleatd":
            raise StepFailure(f"the agent that answers is {program}")

    # MARK: Settings

    def set(self, *words: str) -> None:
        """Changes settings, which must succeed."""
        self.cleat("set", *words)

    def cleat(self, *words: str, status: int = 0) -> str:
        """Runs `cleat`, which has to end with a status; returns its output."""
        done = self.run(shlex.join(["cleat", *words]))
        if done.status != status:
            raise StepFailure(f"`{shlex.join(['cleat', *words])}` ended with {done.status} instead of {status}: "
                              f"{one_line(done.text)}")
        return done.text

    def ask(self, *words: str) -> Any:
        """Runs `cleat … --output json`, which must succeed, and returns its output."""
        return json.loads(self.cleat(*words, "--output", "json"))

    def require_name(self, when: str, name: str) -> None:
        """Fails unless the setting, the file and the kernel have a host name."""
        found = self.check(f"cat {' '.join(NAME_FILES)}").split() + [self.cleat("get", NAME).strip()]
        if found != [name] * 3:
            raise StepFailure(f"{when}: /etc/hostname, the kernel and the setting are {', '.join(found)} instead of {name}")

    def has_name(self, name: str) -> bool:
        """Returns true if the file and the kernel have a host name."""
        return self.check(f"cat {' '.join(NAME_FILES)}").split() == [name] * 2

    def identity(self) -> tuple[str, int]:
        """Returns the id of the store and the number of its last generation."""
        status = self.status()
        if status["store_notes"]:
            raise StepFailure(f"the store was repaired: {status['store_notes']}")
        return str(status["store"]), int(status["generation"])

    def require_identity(self, when: str, identity: tuple[str, int]) -> None:
        """Fails unless the store is the same one with the same last generation."""
        if (found := self.identity()) != identity:
            raise StepFailure(f"{when}: the store and its generation are {found} instead of {identity}")

    # MARK: Power

    def reboot(self) -> None:
        """Reboots in an orderly way."""
        with explained("rebooting"):
            self.board.reboot(timeout=600)

    def cut_power(self, disks: list[Disk] | None = None, clock: str = "") -> None:
        """Cuts the power and switches the board on again, with other disks or at a time that its clock has; see `restart`."""
        with explained("the boot after a power cut"):
            self.board.cut()
            self.board.restart(timeout=600, disks=disks, clock=clock)

    def power_cycle(self, disks: list[Disk] | None = None) -> None:
        """Switches the board off in an orderly way, and on again, with other disks."""
        with explained("the boot after the board was switched off"):
            self.board.power_off(timeout=300)
            self.board.restart(timeout=600, disks=disks)

    # MARK: Programs

    def put(self, text: str, path: str, mode: int = 0o644) -> None:
        """Writes a file on the board."""
        with explained(f"writing {path}"):
            self.board.put(text.encode(), path, mode)

    def run(self, script: str, seconds: float = PATIENCE) -> Completed:
        """Runs a shell script on the board."""
        with explained(f"`{one_line(script)[:120]}`"):
            return self.board.run(f"exec 2>&1\n{script}", timeout=seconds)

    def spawn(self, script: str) -> Process:
        """Starts a shell script and does not wait for it."""
        with explained("starting a command"):
            return self.board.spawn(script)

    def check(self, script: str, seconds: float = PATIENCE) -> str:
        """Runs a shell script that has to succeed, and returns its output."""
        done = self.run(script, seconds)
        if done.status != 0:
            raise StepFailure(f"`{one_line(script)[:200]}` ended with {done.status}: {one_line(done.text)[-600:]}")
        return done.text

    def eventually(self, what: str, holds: Callable[[], bool], seconds: float = PATIENCE) -> None:
        """Waits until a condition holds."""
        end = time.monotonic() + seconds
        while not holds():
            if time.monotonic() > end:
                raise StepFailure(f"not within {seconds:.0f} s: {what}")
            time.sleep(0.2)

    def always(self, what: str, holds: Callable[[], bool], seconds: float) -> None:
        """Fails if a condition does not hold for some time."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not holds():
                raise StepFailure(f"not for {seconds:.0f} s: {what}")
            time.sleep(0.2)

    def make_fault(self) -> None:
        """Makes the fault on purpose, if one is wanted."""
        if self.fault:
            self.check(self.fault)

    def listing(self) -> set[str]:
        """Returns the files, links and processes of the board."""
        return set(self.check(_LISTING, INSTALLATION).splitlines())

    @property
    def logs(self) -> str:
        """The end of the board's log and console."""
        with contextlib.suppress(BoardError):
            return "\n".join([*self.board.journal().splitlines()[-40:], *self.board.console().splitlines()[-10:]])
        return "\n".join(self.board.console().splitlines()[-30:])


@contextlib.contextmanager
def explained(doing: str) -> Iterator[None]:
    """Makes a failure of the board the reason of the step's."""
    try:
        yield
    except BoardError as error:
        if error.missing:
            raise
        raise StepFailure(f"{doing}: {one_line(error.what)[:600]}") from error


def one_line(text: str) -> str:
    """Returns the lines of a text as one."""
    return " / ".join(line.strip() for line in text.splitlines() if line.strip())

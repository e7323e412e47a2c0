"""The steps of the table “boards × steps”: what each one does to a board, and what it requires."""

from __future__ import annotations

import os
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from package_board import (
    AT_NETWORK, NAME, NAME_FILES, NETWORK, SYSCTL, SYSCTL_FILE, PackageBoard, StepFailure,
)

#: The number of power cuts during upgrades.
CUTS = int(os.environ.get("CLEAT_PACKAGE_CUTS", "6"))
#: Seconds for which a stopped service is watched: longer than any init system waits before it starts a service again.
STOPPED = 8.0
#: The lines of a listing that stay after a purge, and the words for them.
STAYS = (
    (r"(file|path) /etc/(group|gshadow)-?", "group cleat"),
    (r"(file|path) /etc/(passwd|shadow|subuid|subgid)-?", "user cleat-location"),
    (r"path /etc/\.pwd\.lock|file /etc/\.pwd\.lock", "lock of the user database"),
    (r"path /var/lib/dpkg/\S*", "dpkg's own files"),
    (r"path /(var/lib/systemd/deb-systemd-helper-(enabled|masked)|etc/systemd/system/sysinit\.target\.wants)(/)?",
     "empty directories of deb-systemd-helper"),
)


@dataclass(frozen=True)
class Step:
    """One step."""

    #: Returns words for the cell, or nothing; raises StepFailure.
    work: Callable[[PackageBoard], str | None]
    #: A script that makes a fault on the board, which the step has to notice.
    fault: str
    #: A fault for boards without dpkg, if it is another one.
    fault_without_dpkg: str = ""
    #: True if the board has the older version at the beginning, false if it has none.
    is_installed: bool = True
    #: True if the board has a second disk, with an empty ext4 file system named data.
    has_data: bool = False


def begin(board: PackageBoard) -> tuple[str, int]:
    """Sets a host name; returns the identity of the store."""
    board.set(f"{NAME}=pump-1")
    board.require_name("set", "pump-1")
    return board.identity()


def install(board: PackageBoard) -> str | None:
    """Installs the package, twice."""
    if board.run("command -v cleat cleatd").status == 0:
        raise StepFailure("the image has Cleat already")
    begin_time = time.monotonic()
    board.install(board.older)
    seconds = time.monotonic() - begin_time
    board.make_fault()
    board.require_version(board.older)
    board.require_running()
    board.check("grep '^cleat:' /etc/group")
    board.check(board.kind.is_enabled)
    pid = board.pid
    board.install(board.older)
    board.require_running()
    if board.pid == pid:
        raise StepFailure("the agent was not restarted by the second installation")
    return f"ok; {seconds:.0f} s"


def boot(board: PackageBoard) -> str | None:
    """Boots: init starts the agent before the network, and the agent has the settings."""
    begin(board)
    record_at_network(board)
    board.make_fault()
    board.reboot()
    require_at_network(board, "pump-1")
    board.require_running()
    board.require_name("after the boot", "pump-1")
    return None


def record_at_network(board: PackageBoard) -> None:
    """Has the board record the host name at each start of the network: of the setting, of the file, of the kernel."""
    first, rest = board.check(f"cat {NETWORK}").split("\n", 1)
    record = f"{{ cleat get {NAME}; cat {' '.join(NAME_FILES)}; }} >{AT_NETWORK} 2>&1"
    board.put(f"{first}\n{record}\n{rest}", NETWORK, 0o755)


def require_at_network(board: PackageBoard, name: str) -> None:
    """Fails unless the setting, the file and the kernel had a host name when the network started."""
    found = board.check(f"cat {AT_NETWORK}").split("\n")[:-1]
    if found != [name] * 3:
        raise StepFailure(f"when the network starts, the setting, /etc/hostname and the kernel are {', '.join(found)} instead of "
                          f"{name}")


def set_values(board: PackageBoard) -> str | None:
    """Sets a host name and a kernel parameter, which the system follows, and unsets them."""
    former = board.check(f"cat /etc/hostname {SYSCTL_FILE}").split()
    board.set(f"{NAME}=pump-1", f"{SYSCTL}=42")
    board.make_fault()
    board.require_name("set", "pump-1")
    if (found := board.check(f"cat {SYSCTL_FILE}").strip()) != "42":
        raise StepFailure(f"{SYSCTL_FILE} is {found} instead of 42")
    board.check("grep -r 'vm.swappiness *= *42' /etc/sysctl.d")
    board.cleat("unset", NAME, SYSCTL)
    if (found := board.check(f"cat /etc/hostname {SYSCTL_FILE}")).split() != former:
        raise StepFailure(f"unset: the host name and the parameter are {found.split()} instead of {former}")
    return None


def trial(board: PackageBoard) -> str | None:
    """Puts changes on trial: one without a confirmation reverts by time, one that is confirmed stays."""
    begin(board)
    start = time.monotonic()
    board.set(f"{NAME}=pump-2", "--confirm", "8s", "--id", "t1")
    board.require_name("on trial", "pump-2")
    board.make_fault()
    board.eventually("the change on trial has reverted", lambda: board.has_name("pump-1"))
    if time.monotonic() - start < 7:
        raise StepFailure("the change on trial has reverted before its time")
    board.require_name("reverted", "pump-1")
    board.set(f"{NAME}=pump-3", "--confirm", "8s", "--id", "t2")
    board.cleat("confirm", "t2")
    board.always("the confirmed change stays", lambda: board.has_name("pump-3"), 10)
    return None


def trial_upgrade(board: PackageBoard) -> str | None:
    """Upgrades while a change is on trial: it stays on trial, and reverts."""
    begin(board)
    board.set(f"{NAME}=pump-2", "--confirm", "10m", "--id", "t1")
    board.make_fault()
    board.install(board.newer)
    board.require_name("upgraded", "pump-2")
    require_trial(board, "t1")
    board.cleat("abort", "t1")
    board.require_name("aborted", "pump-1")
    # The confirm window ends while the packages are changed, or soon after that.
    board.set(f"{NAME}=pump-2", "--confirm", "10s", "--id", "t2")
    board.install(board.older)
    board.eventually("the change on trial has reverted", lambda: board.has_name("pump-1"))
    return None


def trial_removal(board: PackageBoard) -> str | None:
    """Removes the package while a change is on trial: it reverts, since nothing could revert it later."""
    begin(board)
    board.set(f"{NAME}=pump-2", "--confirm", "10m", "--id", "t1")
    board.make_fault()
    output = board.remove()
    if not board.has_name("pump-1"):
        raise StepFailure("the change on trial is in force after the removal")
    if "the change on trial was reverted" not in output:
        raise StepFailure(f"the removal does not report the revert: {output}")
    board.install(board.older)
    board.require_name("installed again", "pump-1")
    require_trial(board, None)
    return None


def require_trial(board: PackageBoard, identifier: str | None) -> None:
    """Fails unless a change is on trial, or none."""
    found = board.status().get("trial")
    if (found or {}).get("id") != identifier:
        raise StepFailure(f"the change on trial is {found} instead of {identifier}")


def kill(board: PackageBoard) -> str | None:
    """Kills the agent: init starts it again, with the settings and the change on trial."""
    begin(board)
    board.set(f"{NAME}=pump-2", "--confirm", "10m", "--id", "t1")
    identity = board.identity()
    board.make_fault()
    times = []
    for _ in range(3):
        before = board.pid
        start = time.monotonic()
        board.check(f"kill -9 {before}")
        board.eventually("the killed agent was started again", lambda: board.is_ready() and board.pid != before)
        times.append(time.monotonic() - start)
        board.require_running()
        require_trial(board, "t1")
        board.require_identity("killed", identity)
    board.cleat("abort", "t1")
    board.require_name("aborted", "pump-1")
    return f"ok; again after {max(times):.0f} s"


def service(board: PackageBoard) -> str | None:
    """Stops, starts, reloads and restarts the service by the init system's command."""
    begin(board)
    before = board.pid
    board.cleat("status")
    board.board.put(b'{ match: { source: "agent" }, run: ["/bin/true"] }\n', "/etc/cleat/hooks.d/90-new.json5", 0o644)
    board.service("reload")
    board.eventually("the new hook is in force", lambda: "90-new" in board.cleat("hook", "list"))
    if board.pid != before:
        raise StepFailure("a reload has started another agent")
    board.service("restart")
    board.require_running()
    if board.pid == before:
        raise StepFailure("a restart has not started another agent")
    board.service("stop")
    board.make_fault()
    if not board.service("status", status=3).strip():
        raise StepFailure("the status of a stopped service prints nothing")
    board.always("no process of the stopped service",
                 lambda: board.run("pidof cleatd").status != 0 and not board.is_ready(), STOPPED)
    board.service("stop")
    board.service("start")
    board.require_running()
    board.service("start")
    board.require_running()
    board.require_name("started", "pump-1")
    return None


def reboot(board: PackageBoard) -> str | None:
    """Reboots, and cuts the power: the settings are in force after each of them, a change on trial is not."""
    identity = begin(board)
    board.make_fault()
    board.reboot()
    board.require_running()
    board.require_name("after a reboot", "pump-1")
    board.require_identity("after a reboot", identity)
    board.set(f"{NAME}=pump-3")
    board.set(f"{NAME}=pump-2", "--confirm", "10m", "--id", "t1")
    board.cut_power()
    board.require_running()
    board.require_name("after a power cut", "pump-3")
    require_trial(board, None)
    return None


def upgrade(board: PackageBoard) -> str | None:
    """Upgrades: the new program runs with the same store; a disabled service stays disabled."""
    identity = begin(board)
    before = board.pid
    board.make_fault()
    board.install(board.newer)
    board.require_running()
    if board.pid == before:
        raise StepFailure("the agent of the older version still runs")
    board.require_identity("upgraded", identity)
    board.require_name("upgraded", "pump-1")
    board.check(board.kind.disable)
    board.check(board.install_command(board.older), 300)
    board.require_version(board.older)
    if board.run(board.kind.is_enabled).status == 0:
        raise StepFailure("a disabled service is enabled after an upgrade")
    return None


def downgrade(board: PackageBoard) -> str | None:
    """Downgrades: the older version runs with the same store."""
    board.install(board.newer)
    board.set(f"{NAME}=pump-1")
    identity = board.identity()
    before = board.pid
    board.make_fault()
    board.install(board.older)
    board.require_running()
    if board.pid == before:
        raise StepFailure("the agent of the newer version still runs")
    board.require_identity("downgraded", identity)
    board.require_name("downgraded", "pump-1")
    return None


def cut_upgrade(board: PackageBoard) -> str | None:
    """Cuts the power at instants of upgrades: either version works after the boot, and the upgrade can be finished."""
    begin(board)
    start = time.monotonic()
    board.install(board.newer)
    duration = time.monotonic() - start
    board.install(board.older)
    counts: Counter[str] = Counter()
    for number in range(CUTS):
        name = f"pump-{number + 10}"
        board.set(f"{NAME}={name}")
        identity = board.identity()
        board.check("sync")
        seconds = duration * (number + 0.5) / CUTS
        when = f"cut {number + 1} of {CUTS}, {seconds:.1f} s after the start of an upgrade of {duration:.1f} s"
        process = board.spawn(board.install_command(board.newer))
        time.sleep(seconds)
        is_finished = not process.running
        board.cut_power()
        board.make_fault()
        try:
            board.require_running()
            found = board.program_versions()
            board.require_identity("after the boot", identity)
            board.require_name("after the boot", name)
            healed = heal(board)
            board.install(board.newer)
            board.require_identity("after the upgrade", identity)
            board.require_running()
        except StepFailure as failure:
            raise StepFailure(f"{when}: {failure}") from failure
        versions = "both versions" if len(found) > 1 else "the newer one" if board.newer.number in found else "the older one"
        counts[versions] += 1
        print(f"{board.kind.title}: {when}{' (it had ended)' if is_finished else ''}: {versions}; {healed}", flush=True,
              file=sys.stderr)
        board.install(board.older)
    return "ok; " + ", ".join(f"{count} × {name}" for name, count in sorted(counts.items()))


def heal(board: PackageBoard) -> str:
    """Does what dpkg documents for an interrupted run; returns the state before and after that."""
    if not board.kind.has_dpkg:
        return "install.sh again"
    state = "dpkg-query -W -f '${Status}' cleat"
    before = board.check(state).strip()
    board.check("dpkg --configure -a", 300)
    return f"{before}, configured: {board.check(state).strip()}"


def purge(board: PackageBoard) -> str | None:
    """Removes and purges: after a removal the store stays, after a purge nothing stays but what is listed."""
    before = board.listing()
    board.install(board.older)
    begin(board)
    board.cleat("unset", NAME)
    identity = board.identity()
    board.remove()
    board.check("! pidof cleatd && ! test -e /usr/bin/cleatd && test -d /var/lib/cleat")
    board.install(board.older)
    board.require_identity("installed again", identity)
    board.make_fault()
    board.purge()
    after = board.listing()
    stays: dict[str, None] = {}
    unknown = []
    for line in sorted((after - before) | {line for line in before - after if not line.startswith("file ")}):
        what = next((words for pattern, words in STAYS if re.fullmatch(pattern, without_sum(line))), None)
        if what is None or line in before:
            unknown.append(f"{'gone' if line in before else 'stays'}: {line}")
        else:
            stays[what] = None
    if unknown:
        raise StepFailure("; ".join(unknown))
    return f"ok; stays: {', '.join(stays) or 'nothing'}"


def without_sum(line: str) -> str:
    """Returns a line of a listing without the checksum of its file."""
    return re.sub(r"^file [0-9a-f]{64} +", "file ", line)


_NO_STORE = "rm -rf /var/lib/cleat/*"
STEPS = {
    "install": Step(install, "printf x >>/usr/bin/cleat-location", is_installed=False),
    "boot": Step(boot, "systemctl mask cleatd.service", "rm -f /etc/runlevels/*/cleatd; mv /etc/init.d/S15cleatd /etc/init.d/S90cleatd || true"),
    "set": Step(set_values, "echo other >/etc/hostname"),
    "trial": Step(trial, "cleat confirm t1"),
    "trial-upgrade": Step(trial_upgrade, "cleat confirm t1"),
    "trial-removal": Step(trial_removal, "kill -STOP $(pidof cleatd)"),
    "kill": Step(
        kill, "mkdir -p /run/systemd/system/cleatd.service.d; printf '[Service]\\nRestart=no\\n' "
        ">/run/systemd/system/cleatd.service.d/fault.conf; systemctl daemon-reload",
        "kill -9 $(cat /run/cleatd-supervisor.pid /run/cleatd.pid | head -n 1)"),
    "service": Step(service, "(setsid cleatd --log syslog >/dev/null 2>&1 &); sleep 3"),
    "reboot": Step(reboot, _NO_STORE),
    "upgrade": Step(upgrade, _NO_STORE),
    "upgrade-cuts": Step(cut_upgrade, "printf x >>/usr/bin/cleat-location"),
    "downgrade": Step(downgrade, _NO_STORE),
    "purge": Step(purge, "touch /usr/lib/residue-of-a-package", is_installed=False),
}

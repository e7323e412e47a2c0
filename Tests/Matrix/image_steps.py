"""The steps of the table “boards × states of images”: read-only roots, first boots, wrong clocks, data partitions."""

from __future__ import annotations

import re
import shlex
import time
from collections.abc import Callable
from dataclasses import dataclass

from image_layouts import (
    COPY, IN_MEMORY, ON_DATA, READ_ONLY, make_data_partition, make_read_only, require_read_only_root, write_protected,
)
from package_board import NAME, NAME_FILES, SYSCTL, PackageBoard, StepFailure, one_line
from package_steps import Step, begin, record_at_network, require_at_network, require_trial

#: The date of a battery-backed clock without a battery.
EPOCH = "1970-01-01T00:00:00"
#: Seconds for which the service waits for a file system.
LATE = 120
#: The file systems of the example for RAUC.
_MOUNT = "mount /data && mount /var/lib/cleat"


@dataclass(frozen=True)
class Followed:
    """A setting, the files and kernel values that follow it, and values for it."""

    path: str
    files: tuple[str, ...]
    #: The value that is committed, and the one that is on trial.
    kept: str
    tried: str

    def require(self, board: PackageBoard, when: str, value: str) -> None:
        """Fails unless the files and the setting have a value."""
        found = [*board.check(f"cat {' '.join(self.files)}").split(), board.cleat("get", self.path).strip()]
        if found != [value] * (len(self.files) + 1):
            raise StepFailure(f"{when}: {', '.join(self.files)} and {self.path} are {', '.join(found)} instead of {value}")


HOST_NAME = Followed(NAME, NAME_FILES, "pump-1", "pump-2")
#: An attribute of a device, which has no file in /etc.
QUEUE = Followed("kernel/attributes/class~1net~1lo~1tx_queue_len", ("/sys/class/net/lo/tx_queue_len",), "900", "800")


def try_changes(board: PackageBoard, followed: Followed) -> None:
    """Reverts a change by its time and by a power cut, and reboots: the committed value is in force after each of them."""
    board.set(f"{followed.path}={followed.kept}")
    followed.require(board, "set", followed.kept)
    identity = board.identity()
    board.set(f"{followed.path}={followed.tried}", "--confirm", "8s", "--id", "t1")
    followed.require(board, "on trial", followed.tried)
    board.eventually("the change on trial has reverted", lambda: board.status().get("trial") is None)
    followed.require(board, "reverted by time", followed.kept)
    board.set(f"{followed.path}={followed.tried}", "--confirm", "10m", "--id", "t2")
    board.make_fault()
    for when, boot in (("after a power cut", board.cut_power), ("after a reboot", board.reboot)):
        boot()
        board.require_running()
        require_read_only_root(board)
        followed.require(board, when, followed.kept)
        require_trial(board, None)
        if board.identity()[0] != identity[0]:
            raise StepFailure(f"{when}: the store is another one")
    require_words(board.cleat("drift"), "no outside edits found")


def read_only_root(board: PackageBoard) -> str | None:
    """Boots from a read-only root: settings with files in /etc are refused by name, others are in force."""
    make_read_only(board, READ_ONLY)
    board.reboot()
    board.require_running()
    require_read_only_root(board)
    former = board.check(f"cat {QUEUE.files[0]}").strip()
    before = (board.identity(), state_of_system(board))
    for setting, path in ((f"{NAME}=pump-1", "/etc/hostname"), (f"{SYSCTL}=42", "/etc/sysctl.d/60-cleat.conf")):
        require_words(board.cleat("set", setting, status=65), setting.split("=")[0], path, "read-only")
    if (board.identity(), state_of_system(board)) != before:
        raise StepFailure("a refused change has changed something")
    try_changes(board, QUEUE)
    board.cleat("unset", QUEUE.path)
    if board.check(f"cat {QUEUE.files[0]}").strip() != former:
        raise StepFailure(f"unset: {QUEUE.files[0]} is not {former}")
    return None


def writable_etc(etc: str) -> Callable[[PackageBoard], str | None]:
    """Returns a step with a read-only root and one of the ways to write to /etc."""
    def work(board: PackageBoard) -> str | None:
        former = board.check("cat /etc/hostname").strip()
        make_read_only(board, etc)
        record_at_network(board)
        board.reboot()
        board.require_running()
        require_read_only_root(board)
        board.set(f"{SYSCTL}=42")
        try_changes(board, HOST_NAME)
        require_at_network(board, HOST_NAME.kept)
        board.check("grep -r 'vm.swappiness *= *42' /etc/sysctl.d && grep -x 42 /proc/sys/vm/swappiness")
        board.cleat("unset", NAME, SYSCTL)
        for when in ("unset", "unset, and after a reboot"):
            if not board.has_name(former):
                raise StepFailure(f"{when}: the host name is not that of the image")
            board.check("! test -e /etc/sysctl.d/60-cleat.conf")
            if when == "unset":
                board.reboot()
                board.require_running()
        return None
    return work


def no_machine_id(board: PackageBoard) -> str | None:
    """Boots images without a machine id: the service is enabled and runs, with the same store."""
    if not board.kind.has_systemd:
        return "not here: only systemd has a machine id"
    board.set(f"{NAME}=pump-1")
    identity = board.identity()
    for state, write in (("empty", ": >/etc/machine-id"), ("uninitialized", "echo uninitialized >/etc/machine-id"),
                         ("absent", "rm /etc/machine-id")):
        board.check(write)
        if state != "empty":
            # At such a boot systemd enables units by their presets.
            board.check("systemctl disable cleatd.service cleat-location.service")
        board.make_fault()
        board.reboot()
        board.require_running()
        board.check("grep -Ex '[0-9a-f]{32}' /etc/machine-id")
        found = [board.run(f"systemctl is-enabled {unit}").text.strip() for unit in ("cleatd.service", "cleat-location.service")]
        if found != ["enabled", "disabled"]:
            raise StepFailure(f"{state}: cleatd and cleat-location are {' and '.join(found)}")
        board.require_identity(state, identity)
        board.require_name(state, "pump-1")
    return None


def clock_at_1970(board: PackageBoard) -> str | None:
    """Boots with a clock at 1970, which jumps to the time and back while changes are on trial."""
    begin(board)
    board.check("mkdir -p /etc/cleat/hooks.d")
    board.put("{ match: { source: 'app', action: 'expired', properties: { EMITTER_UID: '0' } }, "
              "run: ['/bin/sh', '-c', 'touch /run/expired'] }\n", "/etc/cleat/hooks.d/90-expired.json5")
    board.check("sync")
    board.cut_power(clock=EPOCH)
    board.require_running()
    board.require_name("after the boot", "pump-1")
    start = board.check("date -u '+%s %F'").split()
    # systemd sets such a clock to the time of its own release.
    if float(start[0]) > (time.time() - 86400 if board.kind.has_systemd else 86400):
        raise StepFailure(f"the board boots at {start[1]}")
    if board.kind.has_systemd:
        board.check("date -u -s @1000")
    board.set(f"{NAME}=pump-2")
    require_window(board, ("pump-2", "pump-3"), "t1", f"@{time.time():.0f}")
    require_window(board, ("pump-2", "pump-4"), "t2", "@1000")
    board.check(f"date -u -s @{time.time():.0f}")
    board.set(f"{NAME}=pump-5")
    entries = re.findall(r"^#(\d+) +(\d{4})-\S+Z(\?)? ", board.cleat("log"), re.MULTILINE)
    numbers = [int(number) for number, _, _ in entries]
    if numbers != sorted(numbers, reverse=True) or numbers[0] != board.identity()[1]:
        raise StepFailure(f"the order of the history is {numbers}")
    # No entry has a synchronised clock.
    if any(not mark for _, _, mark in entries) or {"1970", time.strftime("%Y")} != {year for _, year, _ in entries}:
        raise StepFailure(f"the times of the history are {entries}")
    return f"ok; booted at {start[1]}"


def require_window(board: PackageBoard, names: tuple[str, str], identifier: str, date: str) -> None:
    """Fails unless a change on trial and a kept event end by their own time while the clock is set."""
    board.check("rm -f /run/expired")
    start = time.monotonic()
    board.set(f"{NAME}={names[1]}", "--confirm", "20s", "--id", identifier)
    board.cleat("emit", "opened", f"door/{identifier}", "--keep", "20s")
    board.make_fault()
    board.check(f"date -u -s {date}")
    board.always(f"{identifier}: the change on trial and the kept event stay after the clock was set",
                 lambda: board.has_name(names[1]) and board.run("test -e /run/expired").status != 0, 10)
    board.eventually(f"{identifier}: the change on trial has reverted", lambda: board.has_name(names[0]))
    if time.monotonic() - start < 19:
        raise StepFailure(f"{identifier}: the change on trial has reverted before its time")
    board.eventually(f"{identifier}: the kept event has expired", lambda: board.run("test -e /run/expired").status == 0)
    board.require_name(f"{identifier}: reverted", names[0])
    require_trial(board, None)


def data_full(board: PackageBoard) -> str | None:
    """Boots with a full data partition: changes are refused until it has space, in the same process."""
    make_data_partition(board)
    board.reboot()
    identity = begin(board)
    board.check("for number in 1 2 3; do cat /dev/zero >>/data/fill || true; sync; done")
    board.cut_power()
    if (free := int(board.check("stat -f -c %a /data"))) > 4:
        raise StepFailure(f"the data partition has {free} free blocks at the boot")
    board.require_running()
    board.require_identity("full", identity)
    board.require_name("full", "pump-1")
    pid = board.pid
    board.make_fault()
    # The store's log is on the disk already, and has space for the first changes.
    count, message = board.check(
        "comment=$(head -c 1000 /dev/zero | tr '\\0' x); count=0; while [ $count -lt 1000 ]; do "
        f"cleat set {NAME}=change-$count --comment $comment >/run/answer 2>&1 || break; count=$((count + 1)); done; "
        "echo $count; cat /run/answer", 600).split("\n", 1)
    name = f"change-{int(count) - 1}" if int(count) else "pump-1"
    require_words(message, "full")
    before = state_of_system(board)
    board.require_name("refused", name)
    require_words(board.run("cleat doctor").text, "full")
    require_refused(board, f"{NAME}=pump-2", "full")
    require_same_system(board, before)
    board.check("rm /data/fill")
    # If the space has ended within a change, its revert is recorded first.
    board.eventually("changes are accepted", lambda: board.run(f"cleat set {NAME}=pump-3").status == 0, 90)
    board.require_name("with space", "pump-3")
    if board.pid != pid:
        raise StepFailure("the agent was started again")
    found = board.identity()
    if found[0] != identity[0] or found[1] <= identity[1] + int(count):
        raise StepFailure(f"with space: the store and its generation are {found} after {identity} and {count} changes")
    board.reboot()
    board.require_running()
    board.require_identity("after a reboot", found)
    return f"ok; refused after {count} changes"


def data_read_only(board: PackageBoard) -> str | None:
    """Boots with a data partition that is mounted read-only, then with one on a disk that cannot be written to."""
    make_data_partition(board)
    board.reboot()
    identity = begin(board)
    board.check("sed -i 's/nosuid,nofail/nosuid,nofail,ro/' /etc/fstab")
    board.reboot()
    require_copy_in_memory(board)
    pid = board.pid
    # The bind mount has the option of its own since the boot.
    board.check("sed -i 's/nofail,ro/nofail/' /etc/fstab; mount -o remount,rw /data; mount -o remount,bind,rw /var/lib/cleat")
    require_store(board, pid, identity)
    board.set(f"{NAME}=pump-1")
    identity = board.identity()
    disk = board.disks[0]
    board.power_cycle([write_protected(disk)])
    require_copy_in_memory(board)
    board.power_cycle([disk])
    board.require_running()
    board.require_identity("a disk that can be written to", identity)
    board.set(f"{NAME}=pump-2")
    board.require_name("a disk that can be written to", "pump-2")
    return None


def require_copy_in_memory(board: PackageBoard) -> None:
    """Fails unless the service works with a copy of the settings in memory, and refuses changes."""
    board.require_running()
    board.make_fault()
    before = state_of_system(board)
    board.require_name("read-only", "pump-1")
    require_words(" ".join(board.status()["store_notes"]), "Read-only file system", "copy of the settings in memory")
    require_words(board.run("cleat doctor").text, "Read-only file system")
    require_refused(board, f"{NAME}=pump-2", "Read-only file system")
    require_same_system(board, before)


def data_late(board: PackageBoard) -> str | None:
    """Boots without the data partition, which is mounted two minutes later: the same process goes on with the store."""
    make_data_partition(board)
    board.reboot()
    identity = begin(board)
    before = state_of_system(board)
    board.power_cycle([])
    board.wait_until_ready()
    board.make_fault()
    pid = board.pid
    start = time.monotonic()
    while time.monotonic() - start < LATE:
        require_waiting(board, before)
        time.sleep(10)
    require_waiting(board, before)
    seconds = time.monotonic() - start
    board.board.plug("virtio-blk", "late", path=board.disks[0].source)
    board.board.wait_for("/dev/vdb", timeout=60)
    board.check(f"{_MOUNT} || {{ sleep 5; {_MOUNT}; }}")
    require_store(board, pid, identity)
    return f"ok; mounted {seconds:.0f} s after the service had started"


def require_store(board: PackageBoard, pid: int, identity: tuple[str, int]) -> None:
    """Fails unless a process goes on with its store, which is as it was and takes changes."""
    board.eventually("the agent has the store", lambda: board.is_ready() and not board.status()["store_notes"])
    if board.pid != pid:
        raise StepFailure("the agent was started again")
    board.require_identity("with its store", identity)
    board.require_name("with its store", "pump-1")
    board.set(f"{NAME}=pump-2")
    board.require_name("with its store", "pump-2")


def require_waiting(board: PackageBoard, before: str) -> None:
    """Fails unless the service waits for its file system, refuses changes, and has not changed the system."""
    require_words(" ".join(board.status()["store_notes"]), "mounted at")
    require_words(board.run("cleat doctor").text, "mounted at", "mount that file system")
    require_refused(board, f"{NAME}=pump-2", "mounted at")
    require_same_system(board, before)
    board.check("! test -e /var/lib/cleat/settings.db")


def no_group(board: PackageBoard) -> str | None:
    """Boots without the group, systemd-sysusers and systemd-tmpfiles: root may use the service, and doctor reports the group."""
    board.check("rm -f /usr/bin/systemd-sysusers /usr/bin/systemd-tmpfiles")
    board.install(board.older)
    board.check("grep '^cleat:' /etc/group")
    board.check("for file in group gshadow; do [ ! -e /etc/$file ] || sed -i '/^cleat:/d' /etc/$file; done")
    begin(board)
    board.reboot()
    board.make_fault()
    board.require_running()
    board.require_name("after the boot", "pump-1")
    board.set(f"{NAME}=pump-2")
    board.require_name("without the group", "pump-2")
    require_words(board.run("cleat doctor").text, "group cleat")
    done = board.board.run("exec 2>&1; cleat status", user="operator")
    if done.status == 0:
        raise StepFailure("a user who is in no group may use the service")
    return f"ok; a user gets: {one_line(done.text)}"


def state_of_system(board: PackageBoard) -> str:
    """Returns checksums of the files in /etc, and the kernel's values."""
    return board.check("find /etc -xdev -type f ! -name mtab -exec sha256sum {} + | sort; "
                       f"cat {' '.join(NAME_FILES)} {' '.join(QUEUE.files)}")


def require_same_system(board: PackageBoard, before: str) -> None:
    """Fails if the system differs from a former state of it."""
    changed = set(state_of_system(board).splitlines()) ^ set(before.splitlines())
    if changed:
        raise StepFailure(f"the system was changed: {one_line(' '.join(sorted(changed)))[:400]}")


def require_refused(board: PackageBoard, setting: str, *words: str) -> str:
    """Fails unless a change is refused with words; returns the message."""
    done = board.run(shlex.join(["cleat", "set", setting]))
    if done.status == 0:
        raise StepFailure(f"`cleat set {setting}` was not refused")
    require_words(done.text, *words)
    return one_line(done.text)


def require_words(text: str, *words: str) -> None:
    """Fails unless a text has words."""
    if missing := [word for word in words if word not in text]:
        raise StepFailure(f"“{', '.join(missing)}” is missing: {one_line(text)[:500]}")


_NO_STORE = "rm -rf /var/lib/cleat/*; sync"
STEPS = {
    "read-only-root": Step(read_only_root, _NO_STORE, has_data=True),
    "etc-on-data": Step(writable_etc(ON_DATA), _NO_STORE, has_data=True),
    "etc-in-memory": Step(writable_etc(IN_MEMORY), _NO_STORE, has_data=True),
    "etc-copy": Step(writable_etc(COPY), _NO_STORE, has_data=True),
    "no-machine-id": Step(no_machine_id, "systemctl mask cleatd.service"),
    "clock-1970": Step(clock_at_1970, "cleat confirm t1"),
    "data-full": Step(data_full, "rm /data/fill", has_data=True),
    "data-read-only": Step(
        data_read_only, "mount -o remount,rw /data; mount -o remount,bind,rw /var/lib/cleat; kill -9 $(pidof cleatd); sleep 5",
        has_data=True),
    "data-late": Step(data_late, "mount -t tmpfs -o mode=0700 tmpfs /var/lib/cleat; sleep 3", has_data=True),
    "no-group": Step(no_group, "echo cleat:x:990: >>/etc/group; kill -9 $(pidof cleatd); sleep 5", is_installed=False),
}

"""The file systems of boards as docs/images.md describes them: the files of deploy/examples/images, put on a board."""

from __future__ import annotations

from pathlib import Path

from package_board import PackageBoard, StepFailure
from vboard.board import Disk

EXAMPLES = Path(__file__).resolve().parents[2] / "deploy/examples/images"
#: The ways to write to /etc on a read-only root, as the script preinit names them; READ_ONLY is none.
READ_ONLY, ON_DATA, IN_MEMORY, COPY = "", "data", "memory", "copy"
#: The overlays of /etc in the example for BusyBox's init, by the beginning of their upper directories.
_OVERLAYS = {ON_DATA: "upperdir=/data/", IN_MEMORY: "upperdir=/run/"}
#: The lines of BusyBox's script at which the file systems can be mounted, and what a board with a table of them has there.
_MODULES = "/sbin/vboard-agent load /lib/modules/list\n"
_HOST_NAME = "hostname -F /etc/hostname\n"
_MOUNTS = "mkdir -p /run/etc /run/etc.work\nmount -a\n"
_READ_ONLY_ROOT = "mount -o remount,ro /\n"


def make_read_only(board: PackageBoard, etc: str) -> None:
    """Gives a board a read-only root from its next boot on, a data partition, and one of the ways to write to /etc."""
    table = read_only_table(_OVERLAYS.get(etc, "") if not board.kind.has_systemd else "")
    prepare(board, table, _READ_ONLY_ROOT)
    if etc == COPY or (etc and board.kind.has_systemd):
        script = (EXAMPLES / "read-only/preinit").read_text(encoding="utf-8").replace("\netc=memory\n", f"\netc={etc}\n")
        if not board.kind.has_systemd:
            script = script.replace("exec /lib/systemd/systemd", "exec /bin/busybox init")
        board.put(script, "/usr/sbin/preinit", 0o755)
        # The initramfs of the virtual board starts /sbin/init, whatever the kernel's command line has.
        board.check("ln -sf /usr/sbin/preinit /sbin/init")


def read_only_table(overlay: str) -> str:
    """Returns the example's /etc/fstab with the overlay of /etc that has an option, or with neither of them."""
    lines = []
    for line in (EXAMPLES / "read-only/fstab").read_text(encoding="utf-8").splitlines():
        is_overlay = line.lstrip("#").startswith("overlay ")
        if is_overlay and overlay and overlay in line:
            lines.append(line.lstrip("#"))
        elif not is_overlay:
            lines.append(line)
    return "\n".join(lines) + "\n"


def make_data_partition(board: PackageBoard, options: str = "") -> None:
    """Gives a board a data partition for the store from its next boot on, as the example for RAUC has it.

    `options` are further ones of its mount.
    """
    table = (EXAMPLES / "rauc/fstab").read_text(encoding="utf-8")
    # An emulated board finds its disks late; BusyBox's mount refuses the option.
    timeout = ",x-systemd.device-timeout=90s" if board.kind.has_systemd else ""
    table = table.replace(",x-systemd.device-timeout=20s", timeout)
    prepare(board, table.replace("nosuid,nofail", f"nosuid,nofail{options}"), "")
    board.check("mkdir -p /etc/cleat")
    board.put((EXAMPLES / "rauc/cleatd.json5").read_text(encoding="utf-8"), "/etc/cleat/cleatd.json5")
    if board.kind.has_systemd:
        drop_ins = "/etc/systemd/system/cleatd.service.d"
        board.check(f"mkdir -p {drop_ins}")
        board.put((EXAMPLES / "rauc/mount.conf").read_text(encoding="utf-8"), f"{drop_ins}/mount.conf")


def prepare(board: PackageBoard, table: str, more: str) -> None:
    """Makes the directories of the data partition and the mount points, and removes the store of the root file system.

    BusyBox's start script gets a line for the file systems of the table, and `more` lines after it.
    """
    board.service("stop")
    board.check("rm -rf /var/lib/cleat; mkdir -m 0700 /var/lib/cleat; mkdir /data; mount LABEL=data /data; "
                "mkdir -m 0700 /data/cleat; mkdir /data/etc /data/etc.work; umount /data")
    board.put(table, "/etc/fstab")
    if board.kind.image == "busybox":
        script = board.check("cat /etc/init.d/rcS")
        if _HOST_NAME not in script or _MODULES not in script:
            raise StepFailure("/etc/init.d/rcS of the image has no place for the mounts")
        script = script.replace(_HOST_NAME, "").replace(_MODULES, f"{_MODULES}{_MOUNTS}{more}{_HOST_NAME}")
        board.put(script, "/etc/init.d/rcS", 0o755)


def require_read_only_root(board: PackageBoard) -> None:
    """Fails unless the root file system is mounted read-only, and the store's is writable and another one."""
    root, state = (board.check(f"awk '$2 == \"{point}\"' /proc/mounts").splitlines()[-1:] for point in ("/", "/var/lib/cleat"))
    if not root or "ro" not in root[0].split()[3].split(","):
        raise StepFailure(f"the root file system is not read-only: {root}")
    if not state or "rw" not in state[0].split()[3].split(",") or "/dev/vdb" not in state[0]:
        raise StepFailure(f"the state directory is not on the data partition: {state}")


def write_protected(disk: Disk) -> Disk:
    """Returns a disk that cannot be written to."""
    return Disk(disk.source, read_only=True, serial=disk.serial)

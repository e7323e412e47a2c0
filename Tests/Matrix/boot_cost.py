#!/usr/bin/env python3
"""Measures what the service costs a board with systemd: the time that a boot waits for it, its memory, what it writes when idle.

`boot_cost.py [DIRECTORY] [--boots N] [--minutes N] [--json]`; the directory has the static programs for aarch64. The board boots
with the service and without it in turn. It prints one line for each figure. It ends with 1 if a figure is above its limit, and
with 69 if the machine cannot run it. Run it on a quiet machine: the board is emulated, and its times are those of this machine.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True
REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "cross"), str(Path(__file__).resolve().parent)]

from package_board import KINDS, PackageBoard, StepFailure  # noqa: E402
from package_versions import ARCH, make_versions  # noqa: E402
from toolchain.failure import MISSING, Failure  # noqa: E402
from vboard.errors import BoardError  # noqa: E402

#: The limits: seconds, seconds, bytes, bytes.
LIMITS = {"boot": 0.65, "start": 0.65, "memory": 2_000_000, "idle": 0}


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("programs", nargs="?", type=Path, default=REPOSITORY / ".build-cross/out" / ARCH,
                        metavar="DIRECTORY", help="the directory with the programs (default: %(default)s)")
    parser.add_argument("--boots", type=int, default=5, help="boots with the service, and as many without (default: %(default)s)")
    parser.add_argument("--minutes", type=float, default=10, help="the idle time (default: %(default)s)")
    parser.add_argument("--json", action="store_true", help="print JSON instead of lines")
    return parser.parse_args()


def instant(board: PackageBoard, unit: str, name: str) -> float:
    """Returns an instant of a unit, in seconds since the kernel's start."""
    text = board.check(f"systemctl show --property={name} --value {unit}").strip()
    if text in ("", "0"):
        raise StepFailure(f"systemd has no {name} of {unit or 'itself'}")
    return int(text) / 1e6


def until_network(board: PackageBoard) -> float:
    """Returns the seconds from the start of systemd to `network-pre.target`."""
    return instant(board, "network-pre.target", "ActiveEnterTimestampMonotonic") - instant(board, "", "UserspaceTimestampMonotonic")


def boots(board: PackageBoard, count: int) -> dict[str, float]:
    """Boots with and without the service in turn; returns the medians."""
    without, with_service, starts = [], [], []
    # Something else has to want the target in the boots without the service.
    board.check("systemctl add-wants sysinit.target network-pre.target")
    for number in range(count):
        board.check("systemctl disable cleatd.service")
        board.reboot()
        without.append(until_network(board))
        board.check("systemctl enable cleatd.service")
        board.reboot()
        board.wait_until_ready()
        with_service.append(until_network(board))
        starts.append(instant(board, "cleatd.service", "ActiveEnterTimestampMonotonic")
                      - instant(board, "cleatd.service", "ExecMainStartTimestampMonotonic"))
        print(f"boot {number + 1} of {count}: {without[-1]:.2f} s without, {with_service[-1]:.2f} s with the service, which took "
              f"{starts[-1]:.2f} s", file=sys.stderr, flush=True)
    return {"boot": statistics.median(with_service) - statistics.median(without), "start": statistics.median(starts)}


def memory(board: PackageBoard) -> int:
    """Returns the private memory of the service in bytes."""
    text = board.check(f"cat /proc/{board.pid}/smaps_rollup")
    return sum(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Private_"))


def written(board: PackageBoard) -> int:
    """Returns the bytes that the service has caused to be written. proc_pid_io(5)"""
    return int(board.check(f"sed -n 's/^write_bytes: //p' /proc/{board.pid}/io"))


def measure(chosen: argparse.Namespace) -> dict[str, float]:
    """Takes all figures."""
    with tempfile.TemporaryDirectory(prefix="cleat-boot-cost-") as name:
        versions = make_versions(chosen.programs.resolve(), Path(name))
        with PackageBoard(KINDS["debian12"], versions) as board:
            board.install(board.older)
            board.set("system/hostname=pump-1", "kernel/sysctl/vm.swappiness=42")
            figures = boots(board, chosen.boots)
            figures["memory"] = memory(board)
            # What the start has left to do is done after a minute.
            time.sleep(60)
            before = written(board)
            time.sleep(chosen.minutes * 60)
            figures["idle"] = written(board) - before
    return figures


def main() -> int:
    """Takes the figures and prints them."""
    chosen = arguments()
    if not (chosen.programs / "cleatd").is_file():
        print(f"boot_cost: error: there is no program {chosen.programs / 'cleatd'}; build it: cross/build {ARCH}", file=sys.stderr)
        return MISSING
    try:
        figures = measure(chosen)
    except StepFailure as error:
        print(f"boot_cost: error: {error}", file=sys.stderr)
        return 1
    except (BoardError, Failure) as error:
        print(f"boot_cost: error: {error}", file=sys.stderr)
        return MISSING
    if chosen.json:
        print(json.dumps(figures, indent=2))
    else:
        print(f"a boot waits for the service: {figures['boot']:.2f} s; its start takes {figures['start']:.2f} s")
        print(f"private memory: {figures['memory'] / 1e6:.2f} MB; {chosen.minutes:g} idle minutes: {figures['idle']:.0f} bytes written")
    above = [name for name, limit in LIMITS.items() if figures[name] > limit]
    for name in above:
        print(f"boot_cost: {name} is {figures[name]:g}, above its limit of {LIMITS[name]:g}", file=sys.stderr)
    return 1 if above else 0


if __name__ == "__main__":
    sys.exit(main())

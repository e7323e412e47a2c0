#!/usr/bin/env python3
"""Runs the table "network services × steps": the real network services in namespaces, and Cleat with each of them.

`network_services.py [DIRECTORY] [--service NAME] [--step NAME] [--json]`; the directory has `cleatd` and `cleat`. It prints
a table of Markdown: each cell is ok, a refusal that is documented, or FAILED with the reason. It ends with 1 if a cell failed,
and with 69 if the machine cannot run any of them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from board import Board, Failure  # noqa: E402
from bridges import bridge  # noqa: E402
from network_steps import STEPS as NETWORK_STEPS  # noqa: E402
from network_steps import Step  # noqa: E402
from services import REPOSITORY, SERVICES, Service  # noqa: E402
from table import has_failed, markdown  # noqa: E402

STEPS: dict[str, Step] = {**NETWORK_STEPS, "bridge": bridge}
#: Faults that are made on purpose, to show that a cell can fail.
FAULTS = {
    "kernel": "removes all addresses before each comparison",
    "tool": "replaces nmcli, networkctl, ifup by a program that does nothing",
    "edit": "makes no outside edits, and edits files after a power cut",
}
MISSING = 69


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("programs", nargs="?", type=Path, default=REPOSITORY / ".build/debug", metavar="DIRECTORY",
                        help="the directory with cleatd and cleat (default: %(default)s)")
    parser.add_argument("--service", action="append", choices=SERVICES, help="run this service only; repeatable")
    parser.add_argument("--step", action="append", choices=STEPS, help="run this step only; repeatable")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--fault", choices=FAULTS, default="", help="make a fault on purpose: " + "; ".join(
        f"{name} {what}" for name, what in FAULTS.items()))
    parser.add_argument("--fault-at", default="", metavar="WORDS",
                        help="remove the addresses only before comparisons whose name has these words")
    return parser.parse_args()


def cell(service: Service, programs: Path, step: Step, chosen: argparse.Namespace) -> str:
    """Runs one step on a board of its own; returns the text of its cell."""
    try:
        with Board(service, programs, chosen.fault, chosen.fault_at) as board:
            try:
                return step(board) or "ok"
            except Failure:
                print(board.logs, file=sys.stderr, flush=True)
                raise
    except Failure as failure:
        return f"FAILED: {failure}"


def missing(programs: Path) -> str | None:
    """Returns the reason why the machine can run no service."""
    if os.geteuid() != 0:
        return "needs root, to make namespaces"
    for name in ("unshare", "nsenter", "ip", "setpriv"):
        if not shutil.which(name):
            return f"needs {name} on PATH"
    for name in ("cleatd", "cleat"):
        if not os.access(programs / name, os.X_OK):
            return f"there is no program {programs / name}"
    return None


def main() -> int:
    """Runs the chosen cells and prints the table."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    chosen = arguments()
    programs = chosen.programs.resolve()
    if reason := missing(programs):
        print(f"network_services: error: {reason}", file=sys.stderr)
        return MISSING
    steps = chosen.step or list(STEPS)
    rows: dict[str, dict[str, str]] = {}
    for key in chosen.service or list(SERVICES):
        service = SERVICES[key]
        lack = service.lacks()
        row = rows[service.name] = {}
        for name in steps:
            start = time.monotonic()
            row[name] = f"not here: {lack}" if lack else cell(service, programs, STEPS[name], chosen)
            print(f"{service.name}: {name}: {row[name]} ({time.monotonic() - start:.1f} s)", file=sys.stderr, flush=True)
    print(json.dumps(rows, indent=2, ensure_ascii=False) if chosen.json else "\n".join(markdown("network service", rows, steps)))
    return 1 if has_failed(rows) else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Runs a table “boards × steps” on booted virtual boards: packages from installation to purge, or the states of images.

`package_boards.py [DIRECTORY] [--table NAME] [--board NAME] [--step NAME] [--json]`; the directory has the static programs for
aarch64. It prints a table of Markdown: each cell is ok or FAILED with the reason. Each step has a board of its own, and most of
them begin with a saved one that has the older version. It ends with 1 if a cell failed, and with 69 if the machine cannot run
any of them.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.dont_write_bytecode = True
REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "cross"), str(Path(__file__).resolve().parent)]

import image_steps  # noqa: E402
import package_steps  # noqa: E402
from package_board import KINDS, Kind, PackageBoard, StepFailure  # noqa: E402
from package_steps import Step  # noqa: E402
from package_versions import ARCH, Version, make_versions  # noqa: E402
from table import has_failed, markdown  # noqa: E402
from toolchain.failure import MISSING, Failure  # noqa: E402
from vboard.debian_image import run as run_command  # noqa: E402
from vboard.errors import BoardError  # noqa: E402
from vboard.image import Saved  # noqa: E402
from vboard.packages import need  # noqa: E402

#: The steps of each table, and the kinds of board that it has by default.
TABLES = {"packages": package_steps.STEPS, "images": image_steps.STEPS}
BOARDS = {"packages": list(KINDS), "images": ["debian12", "busybox"]}
#: The size of a board's second disk in MiB.
DATA_MIB = 64


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("programs", nargs="?", type=Path, default=REPOSITORY / ".build-cross/out" / ARCH,
                        metavar="DIRECTORY", help="the directory with the programs (default: %(default)s)")
    parser.add_argument("--table", choices=TABLES, default="packages", help="run the steps of this table (default: %(default)s)")
    parser.add_argument("--board", action="append", choices=KINDS, help="use this kind of board only; repeatable")
    parser.add_argument("--step", action="append", help="run this step only; repeatable")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--fault", action="store_true", help="make a fault in each step on purpose: each cell has to fail")
    chosen = parser.parse_args()
    for step in chosen.step or []:
        if step not in TABLES[chosen.table]:
            parser.error(f"the table {chosen.table} has no step {step}; choose from {', '.join(TABLES[chosen.table])}")
    return chosen


class Cells:
    """The cells of one kind of board."""

    def __init__(self, kind: Kind, versions: tuple[Version, Version], directory: Path, *, with_fault: bool) -> None:
        self._kind = kind
        self._versions = versions
        self._directory = directory
        directory.mkdir(exist_ok=True)
        self._with_fault = with_fault
        #: The board with the older version, which most steps begin with; made at its first use.
        self._saved: Saved | None = None

    def run(self, step: Step) -> str:
        """Runs one step on a board of its own; returns the text of its cell."""
        fault = "" if self._kind.has_dpkg else step.fault_without_dpkg
        try:
            with PackageBoard(self._kind, self._versions, (fault or step.fault) if self._with_fault else "",
                              self._installed() if step.is_installed else None,
                              self._make_disk() if step.has_data else None) as board:
                return logged(board, step.work) or "ok"
        except StepFailure as failure:
            return f"FAILED: {failure}"

    def _make_disk(self) -> Path:
        """Makes the second disk of a board, in place of that of the last one."""
        path = self._directory / "data.ext4"
        path.unlink(missing_ok=True)
        with path.open("xb") as file:
            file.truncate(DATA_MIB << 20)
        run_command([need("mke2fs", "e2fsprogs"), "-q", "-t", "ext4", "-F", "-m", "0", "-L", "data", str(path)])
        return path

    def _installed(self) -> Saved:
        """Returns the saved board with the older version."""
        if self._saved is None:
            with PackageBoard(self._kind, self._versions) as board:
                logged(board, lambda board: board.install(board.older))
                self._saved = board.save(self._directory)
        return self._saved


def logged(board: PackageBoard, work: Callable[[PackageBoard], str | None]) -> str | None:
    """Does work; if it fails, prints the board's log."""
    try:
        return work(board)
    except StepFailure:
        print(board.logs, file=sys.stderr, flush=True)
        raise


def run(chosen: argparse.Namespace, steps: list[str]) -> dict[str, dict[str, str]]:
    """Runs the chosen cells."""
    rows: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory(prefix="cleat-package-boards-") as name:
        directory = Path(name)
        versions = make_versions(chosen.programs.resolve(), directory)
        for kind in (KINDS[key] for key in chosen.board or BOARDS[chosen.table]):
            row = rows[kind.title] = {}
            cells = Cells(kind, versions, directory / kind.image, with_fault=chosen.fault)
            for step in steps:
                start = time.monotonic()
                row[step] = cells.run(TABLES[chosen.table][step])
                print(f"{kind.title}: {step}: {row[step]} ({time.monotonic() - start:.0f} s)", file=sys.stderr, flush=True)
    return rows


def main() -> int:
    """Runs the chosen cells and prints the table."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    chosen = arguments()
    if not (chosen.programs / "cleatd").is_file():
        print(f"package_boards: error: there is no program {chosen.programs / 'cleatd'}; build it: cross/build {ARCH}",
              file=sys.stderr)
        return MISSING
    steps = chosen.step or list(TABLES[chosen.table])
    try:
        rows = run(chosen, steps)
    except (BoardError, Failure) as error:
        print(f"package_boards: error: {error}", file=sys.stderr)
        return MISSING
    print(json.dumps(rows, indent=2, ensure_ascii=False) if chosen.json else "\n".join(markdown("board", rows, steps)))
    return 1 if has_failed(rows) else 0


if __name__ == "__main__":
    sys.exit(main())

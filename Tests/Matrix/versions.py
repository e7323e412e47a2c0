#!/usr/bin/env python3
"""Runs the table of versions: `cleat` and `cleatd` of 0.1.0 and of the present sources, each with the other.

`versions.py [DIRECTORY] [--case WORDS] [--json]`; the directory has the present `cleatd` and `cleat`, which are built without it.
Rows are the verbs of the clients' own help, and stores and exports that one release reads of the other. A cell is ok, a refusal
that names the older program and the next step, `-` where a client has no such verb, or FAILED with the reason. It ends with 1 if
a cell failed, and with 69 if the machine cannot run any of them.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import version_calls  # noqa: E402
import version_events  # noqa: E402, F401
import version_files  # noqa: E402, F401
import version_history  # noqa: E402, F401
import version_releases  # noqa: E402
import version_service  # noqa: E402, F401
import version_settings  # noqa: E402, F401
import version_snapshots  # noqa: E402, F401
import version_stores  # noqa: E402
from table import has_failed, markdown  # noqa: E402
from version_board import Board, Failed  # noqa: E402
from version_calls import Calls, Done, Refused  # noqa: E402
from version_cases import CASES, Case  # noqa: E402
from version_releases import OLDER, PRESENT, REPOSITORY, Failure, Release  # noqa: E402

#: Client and service in the rows of verbs; writer and reader in those of stores and exports.
COLUMNS = (f"{OLDER} with {PRESENT}", f"{PRESENT} with {OLDER}")
FORMS = ("text", "json")
FAULTS = {**version_calls.FAULTS, **version_stores.FAULTS, "verb": "each client has one verb more"}
MISSING = 69
Tries = dict[str, list[Done]]


def arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("programs", nargs="?", type=Path, metavar="DIRECTORY",
                        help="the directory with the present cleatd and cleat (default: build them)")
    parser.add_argument("--case", action="append", metavar="WORDS", help="run only rows that begin with these words; repeatable")
    parser.add_argument("--commit", default=version_releases.PINNED, help="the commit of the older release")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    parser.add_argument("--fault", choices=FAULTS, default="", help="make a fault on purpose: " + "; ".join(
        f"{name}: {what}" for name, what in FAULTS.items()))
    return parser.parse_args()


def perform(one: Case, client: Release, service: Release, fault: str, reference: Tries | None) -> Tries:
    """Runs a case with one pair, in both forms; returns its calls. Raises Refused if both forms are refused."""
    with Board() as board:
        board.start(service)
        done: Tries = {}
        refusals = []
        for form in FORMS:
            calls = Calls(board, client, service, form, fault, reference[form] if reference else None)
            try:
                one.work(calls)
            except Refused as refused:
                refusals.append(f"{refused}")
            except (Failed, OSError) as failure:
                raise Failed(f"{form}: {failure}") from failure
            done[form] = calls.done
        if len(refusals) == 1:
            raise Failed(f"refused in one form, and done in the other: {refusals[0]}")
        if refusals:
            raise Refused(refusals[0])
        return done


def cell(one: Case, client: Release, service: Release, is_known: bool, fault: str) -> str:
    """Compares a case of two releases with that of the client's own release; returns the text of its cell."""
    try:
        reference = perform(one, client, client, "", None)
    except (Failed, Refused) as failure:
        return f"FAILED: with its own release: {failure}"
    try:
        perform(one, client, service, fault, reference)
    except Refused as refused:
        return f"FAILED: refused, although the service knows it: {refused}" if is_known else f"refused: {refused}"
    except Failed as failure:
        return f"FAILED: {failure}"
    return "ok"


def verb_cells(name: str, releases: tuple[Release, Release], verbs: dict[str, list[str]], fault: str) -> list[str]:
    """Returns the cells of a verb or of one of its options."""
    one = CASES.get(name)
    older, present = releases
    is_known = one is not None and one.verb(verbs[OLDER]) is not None and not one.is_newer
    cells = []
    for client, service in ((older, present), (present, older)):
        if one is None:
            cells.append("FAILED: has no case; see Tests/Matrix/version_cases.py" if name in verbs[client.name] else "-")
        elif client is older and not is_known:
            cells.append("-")
        elif one.verb(verbs[client.name]) is None:
            cells.append("FAILED: the client does not have this verb; remove its case")
        else:
            cells.append(cell(one, client, service, is_known, fault))
    return cells


def store_cells(check: Callable[[version_stores.Bench], None], releases: tuple[Release, Release], fault: str) -> list[str]:
    """Returns the cells of a check of stores or exports."""
    cells = []
    for writer, reader in (releases, releases[::-1]):
        try:
            with Board() as board:
                check(version_stores.Bench(board, writer, reader, fault))
            cells.append("ok")
        except (Failed, OSError) as failure:
            cells.append(f"FAILED: {failure}")
    return cells


def missing() -> str | None:
    """Returns the reason why the machine can run nothing of this."""
    if os.geteuid() != 0:
        return "needs root, to make namespaces"
    for name in ("unshare", "nsenter", "ip", "git", "swift"):
        if not shutil.which(name):
            return f"needs {name} on PATH"
    return None


def main() -> int:
    """Runs the chosen rows and prints the table."""
    os.environ["PATH"] += ":/usr/sbin:/sbin"
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    chosen = arguments()
    if reason := missing():
        print(f"versions: error: {reason}", file=sys.stderr)
        return MISSING
    try:
        older = version_releases.older(chosen.commit)
        present = Release(PRESENT, chosen.programs.resolve()) if chosen.programs else version_releases.build(PRESENT, REPOSITORY)
        verbs = {one.name: one.verbs() + (["frobnicate"] if chosen.fault == "verb" else []) for one in (older, present)}
    except Failure as failure:
        print(f"versions: error: {failure}", file=sys.stderr)
        return 1
    releases = older, present
    known = [*verbs[PRESENT], *verbs[OLDER]]
    listed = [*dict.fromkeys([*known, *CASES])]
    listed.sort(key=lambda name: known.index(CASES[name].verb(known) or known[-1]) if name in CASES else known.index(name))
    rows: dict[str, dict[str, str]] = {}
    for name in [*listed, *version_stores.CHECKS]:
        if chosen.case and not any(name.startswith(words) for words in chosen.case):
            continue
        start = time.monotonic()
        check = version_stores.CHECKS.get(name)
        cells = store_cells(check, releases, chosen.fault) if check else verb_cells(name, releases, verbs, chosen.fault)
        rows[name] = dict(zip(COLUMNS, cells, strict=True))
        print(f"{name}: {'; '.join(cells)} ({time.monotonic() - start:.1f} s)", file=sys.stderr, flush=True)
    table = "\n".join(markdown("verb, store, export", rows, list(COLUMNS)))
    print(json.dumps(rows, indent=2, ensure_ascii=False) if chosen.json else table)
    return 1 if has_failed(rows) else 0


if __name__ == "__main__":
    sys.exit(main())

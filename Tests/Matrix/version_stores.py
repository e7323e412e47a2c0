"""The checks of stores and exports: one release writes them, the other one reads and changes them, and the first one reads again.

Each check gets the writer and the reader, and runs with both orders of the two releases.
"""

from __future__ import annotations

import contextlib
import signal
import sqlite3
import struct
from collections.abc import Callable
from typing import Any

from version_board import Board, Failed
from version_cases import expect, expect_host, expect_value, generation
from version_files import begin, put
from version_releases import OLDER, Release
from version_snapshots import names

#: Faults of stores that are made on purpose.
FAULTS = {
    "history": "a generation, a snapshot and a content are deleted between the releases",
    "trial": "the change on trial is deleted between the releases",
    "bytes": "a byte of a refused store is changed",
    "file": "an exported file lacks a setting",
}
#: The offset of the format's version in the header of the store, as in https://sqlite.org/fileformat2.html.
USER_VERSION = 60


class Bench:
    """A board on which services of both releases run, one after another, with the faults that are made between them."""

    def __init__(self, board: Board, writer: Release, reader: Release, fault: str) -> None:
        self.board = board
        self.writer = writer
        self.reader = reader
        self.fault = fault

    def hand_over(self, to: Release, number: signal.Signals = signal.SIGTERM) -> None:
        """Ends the service, and starts that of a release, which must not report a repair."""
        self.board.stop(number)
        statements = {"history": "DELETE FROM changes WHERE generation = 2; DELETE FROM snapshots; DELETE FROM contents",
                      "trial": "DELETE FROM trial; DELETE FROM mementos; DELETE FROM generations WHERE state = 'pending'"}
        if self.fault in statements:
            with contextlib.closing(sqlite3.connect(self.board.disk / "state/settings.db")) as database:
                database.executescript(statements[self.fault])
        self.board.start(to)
        notes = self.board.call("dev.cleat.Service.Status").get("store_notes", [])
        if notes:
            raise Failed(f"{to.name} reports a repair of the store: {notes}")

    def exported(self, text: str) -> str:
        """Returns an exported text, with the damage of the chosen fault."""
        return text.replace("count", "counts") if self.fault == "file" else text


def history(board: Board) -> list[dict[str, Any]]:
    """Returns the history, with its authors, comments, times and ends."""
    found = board.call("dev.cleat.Settings.Log", limit=50)["generations"]
    return sorted(found, key=lambda one: int(one["number"]))


def contents(board: Board) -> dict[str, Any]:
    """Returns everything that a store keeps: settings, history, differences, snapshots, uploads, the drift."""
    log = history(board)
    listed = board.call("dev.cleat.Settings.List", defaults=False, reveal=True)["settings"]
    snapshots = board.call("dev.cleat.Snapshots.List")["snapshots"]
    return {
        "settings": {one["path"]: one.get("value") for one in listed},
        "history": log,
        "differences": [board.call("dev.cleat.Settings.Diff", **{"from": one["number"] - 1, "to": one["number"]})["changes"]
                        for one in log],
        "snapshots": snapshots,
        "settings of snapshots": [board.call("dev.cleat.Snapshots.Show", name=one["name"])["settings"] for one in snapshots],
        "uploads": [{**one, "expires_in": 0} for one in board.call("dev.cleat.Files.Uploads")["uploads"]],
        "drift": board.call("dev.cleat.System.Drift")["drift"],
    }


def same(what: str, found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Requires that nothing that was kept is missing or different."""
    for name, part in wanted.items():
        if found[name] != part:
            raise Failed(f"{what}: the {name} differ: {found[name]!r} instead of {part!r}"[:900])


def fill(board: Board) -> None:
    """Makes a store with a history, trials that have ended, secrets, snapshots, documents, uploads and volatile values."""
    board.set({"app/count": -(1 << 62), "app/ratio": 0.1, "app/text": "Grüße, \"☂\"", "app/enabled": True, "app/map/one": 1},
              id="types", comment="a value of each type")
    board.set({"system/hostname": "kept", "app/names": ["b", "a", ""], "app/password": "hidden"}, id="tag:secret",
              comment="a secret")
    begin(board, "note", "note.txt", b"a document\n", 11)
    board.call("dev.cleat.Settings.Set", uploads=["note"], id="document", changes=[
        {"path": "documents/note.txt", "value": "sha256:86764fb8bf93134fa0d751dcde574e408dc178f3ae7b18a5fcb9393da8fdc287"}])
    board.set({"app/count": 8}, id="confirmed", confirm=3_600_000)
    board.call("dev.cleat.Transactions.Confirm", id="confirmed")
    board.call("dev.cleat.Snapshots.Create", name="before", comment="before the second trial")
    board.set({"app/count": 9, "system/hostname": "dropped"}, id="dropped", confirm=3_600_000)
    board.call("dev.cleat.Transactions.Abort", id="dropped")
    board.set({"app/enabled": None}, id="gone")
    board.call("dev.cleat.Snapshots.Create", name="after")
    board.set({"app/map/two": 2}, volatile=True)
    begin(board, "part", "part.bin", b"x" * 1000, 400)
    put(board, "own.txt", "own")


# MARK: Stores


def round_trip(bench: Bench) -> None:
    """The reader finds all of the writer's store, changes it, and the writer finds all of that."""
    board = bench.board
    board.start(bench.writer)
    fill(board)
    kept = contents(board)
    bench.hand_over(bench.reader)
    same(f"{bench.reader.name} reads", contents(board), kept)
    expect_value(board, "app/map/two", 2)
    expect("the document", board.read("state/files/documents/note.txt"), "a document\n")
    # The uploads continue.
    expect("the offset of the upload", begin(board, "part", "part.bin", b"x" * 1000, 1000), 400)
    board.call("dev.cleat.Files.Commit", id="part")
    expect("the upload", board.read("state/files/documents/part.bin"), "x" * 1000)
    # Each kind of change.
    number = generation(board)
    board.set({"app/count": 10, "system/hostname": "changed"}, id="changed", comment="by the reader")
    expect("the number of the generation", generation(board), number + 1)
    board.set({"app/label": "tried"}, id="tried", confirm=3_600_000)
    board.call("dev.cleat.Transactions.Confirm", id="tried")
    board.call("dev.cleat.Settings.Rollback", to=number)
    expect_value(board, "app/count", 8)
    expect_host(board, "kept")
    board.set({"app/count": 11})
    board.call("dev.cleat.Snapshots.Create", name="changed")
    board.call("dev.cleat.Snapshots.Delete", name="after")
    kept = contents(board)
    bench.hand_over(bench.writer)
    same(f"{bench.writer.name} reads again", contents(board), kept)
    board.call("dev.cleat.Snapshots.Restore", name="before", files=True)
    expect_value(board, "app/count", 8)
    expect_value(board, "app/enabled", True)
    board.set({"system/hostname": None})
    expect_host(board, "factory")
    kept = contents(board)
    bench.hand_over(bench.reader)
    same(f"{bench.reader.name} reads again", contents(board), kept)


def trials(bench: Bench) -> None:
    """A change on trial when the writer is killed is on trial with the reader, which confirms, aborts, or reverts it in time."""
    board = bench.board
    board.start(bench.writer)
    board.set({"system/hostname": "before", "app/count": 1})
    for number, end in enumerate(("Confirm", "Abort", "time")):
        identifier = f"trial-{number}"
        window = 1_500 if end == "time" else 3_600_000
        board.set({"system/hostname": identifier, "app/count": 20 + number}, id=identifier, confirm=window)
        expect_host(board, identifier)
        bench.hand_over(bench.reader, signal.SIGKILL)
        if end == "time":
            board.eventually("the change reverts", lambda: board.trial() is None)
        else:
            expect("the change on trial", board.trial(), identifier)
            expect_value(board, "app/count", 20 + number)
            board.call(f"dev.cleat.Transactions.{end}", id=identifier)
        expect_host(board, "trial-0")
        expect_value(board, "app/count", 20)
        bench.hand_over(bench.writer)
        expect_host(board, "trial-0")
    ids = [one["id"] for one in history(board)]
    expect("the history", [name in ids for name in ("trial-0", "revert-trial-0", "revert-trial-1", "revert-trial-2")],
           [True, False, True, True])


def second_copy(bench: Bench) -> None:
    """The reader restores a lost store from the writer's second copy."""
    board = bench.board
    board.start(bench.writer)
    board.set({"app/count": 3, "app/password": "hidden", "system/hostname": "copied"})
    board.stop()
    for path in (board.disk / "state").glob("settings.db*"):
        path.unlink()
    board.start(bench.reader)
    expect_value(board, "app/count", 3)
    expect_value(board, "app/password", "hidden")
    notes = board.call("dev.cleat.Service.Status").get("store_notes", [])
    expect("a note of the repair", bool(notes), True)


def newer_minor(bench: Bench) -> None:
    """The reader reads and writes a store of a newer minor format, and leaves its version and its new table."""
    board = bench.board
    board.start(bench.writer)
    fill(board)
    kept = contents(board)
    board.stop()
    with contextlib.closing(sqlite3.connect(board.disk / "state/settings.db")) as database:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        database.executescript(
            f"CREATE TABLE newer(x TEXT); INSERT INTO newer VALUES('kept'); ALTER TABLE generations ADD COLUMN newer TEXT; "
            f"PRAGMA user_version={version + 1}")
    board.start(bench.reader)
    same(f"{bench.reader.name} reads", contents(board), kept)
    board.set({"app/count": 12})
    board.stop()
    with contextlib.closing(sqlite3.connect(board.disk / "state/settings.db")) as database:
        expect("the version of the format", database.execute("PRAGMA user_version").fetchone(), (version + 1,))
        expect("the new table", database.execute("SELECT x FROM newer").fetchone(), ("kept",))


def newer_major(bench: Bench) -> None:
    """The reader refuses a store of a newer major format, leaves all of its bytes, and names the release to install."""
    board = bench.board
    board.start(bench.writer)
    fill(board)
    board.stop()
    path = board.disk / "state/settings.db"
    data = bytearray(path.read_bytes())
    (version,) = struct.unpack_from(">I", data, USER_VERSION)
    struct.pack_into(">I", data, USER_VERSION, (version // 1000 + 1) * 1000)
    path.write_bytes(data)
    board.write("state/settings.release", "9.8.7\n")
    before = _bytes(board)
    if board.launch(bench.reader):
        raise Failed("the service started with a store of a newer major format")
    said = board.service_log
    if bench.fault == "bytes":
        path.write_bytes(path.read_bytes()[:-1] + b"?")
    for name, found in _bytes(board).items():
        if before.get(name) != found:
            raise Failed(f"the refused store is changed: {name}")
    # 0.1.0 does not read the name of the release.
    remedy = "the release that wrote it" if bench.reader.name == OLDER else "install Cleat 9.8.7"
    for word in ("has format 2.0", "it is unchanged", remedy):
        if word not in said:
            raise Failed(f"the refusal lacks “{word}”: {said}")


def _bytes(board: Board) -> dict[str, bytes]:
    """Returns the bytes of the files of the store by their names."""
    return {path.name: path.read_bytes() for path in sorted((board.disk / "state").glob("settings*")) if path.is_file()}


# MARK: Exports


def exports(bench: Bench) -> None:
    """The reader's client applies the writer's exports, in both formats."""
    board = bench.board
    board.start(bench.writer)
    fill(board)
    board.set({"app/text": "Grüße, \"☂\"", "documents/note.txt": None})
    wanted = contents(board)["settings"]
    # Neither secrets nor volatile values are exported.
    for path in ("app/password", "app/map/two"):
        wanted.pop(path)
    texts = {form: bench.exported(run(board, bench.writer, "export", "--format", form)) for form in ("json5", "json")}
    board.stop()
    for form, text in texts.items():
        with Board() as other:
            other.start(bench.reader)
            other.write(f"work/export.{form}", text)
            run(other, bench.reader, "apply", f"export.{form}")
            expect(f"the settings of the export in {form}", contents(other)["settings"], wanted)
            expect_host(other, "kept")


def snapshot_files(bench: Bench) -> None:
    """The reader's client imports the writer's snapshot, and restores its settings and files."""
    board = bench.board
    board.start(bench.writer)
    fill(board)
    text = bench.exported(run(board, bench.writer, "snapshot", "export", "before"))
    board.stop()
    with Board() as other:
        other.start(bench.reader)
        other.write("work/before.snapshot", text)
        run(other, bench.reader, "snapshot", "import", "before.snapshot")
        expect("the snapshots", names(other), ["before"])
        run(other, bench.reader, "snapshot", "restore", "before", "--files")
        expect_value(other, "app/count", 8)
        expect_value(other, "app/enabled", True)
        expect_host(other, "kept")


def run(board: Board, release: Release, *words: str) -> str:
    """Runs the client of a release, which must succeed; returns its output."""
    status, output, error = board.program([str(release.cleat), *words])
    if status != 0:
        raise Failed(f"`cleat {' '.join(words)}` of {release.name} ended with {status}: {error.strip()[-600:]}")
    return output


CHECKS: dict[str, Callable[[Bench], None]] = {
    "store: there and back": round_trip, "store: a change on trial": trials, "store: second copy": second_copy,
    "store: newer minor format": newer_minor, "store: newer major format": newer_major, "exported settings": exports,
    "exported snapshot": snapshot_files,
}

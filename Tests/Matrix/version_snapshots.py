"""The cases of verbs for snapshots."""

from __future__ import annotations

from version_board import Board
from version_calls import Calls
from version_cases import case, expect, expect_host, expect_value


def snapshot(calls: Calls, name: str) -> None:
    """Makes a snapshot by a call, and changes a setting afterwards."""
    calls.board.set({"system/hostname": f"saved-{calls.n}", "app/count": calls.n})
    calls.board.call("dev.cleat.Snapshots.Create", name=name, comment=f"comment {calls.n}")
    calls.board.set({"system/hostname": "later", "app/count": 90})


def names(board: Board) -> list[str]:
    """Returns the names of the snapshots."""
    return [one["name"] for one in board.call("dev.cleat.Snapshots.List")["snapshots"]]


@case("snapshot create")
def create(calls: Calls) -> None:
    """Makes a snapshot; a second one of the same name is refused."""
    calls.board.set({"app/count": calls.n})
    calls.run("snapshot", "create", f"made-{calls.n}", "--comment", "words", has=(f"made-{calls.n}",), drop=("size", "bytes"))
    expect("the snapshots", f"made-{calls.n}" in names(calls.board), True)
    calls.run("snapshot", "create", f"made-{calls.n}", status=75)


@case("snapshot list")
def list_snapshots(calls: Calls) -> None:
    """Lists snapshots."""
    snapshot(calls, f"listed-{calls.n}")
    calls.run("snapshot", "list", has=(f"listed-{calls.n}", f"comment {calls.n}"), drop=("size", "bytes", "limit_bytes"))


@case("snapshot show")
def show(calls: Calls) -> None:
    """Prints the settings of a snapshot."""
    snapshot(calls, f"shown-{calls.n}")
    calls.run("snapshot", "show", f"shown-{calls.n}", has=(f"saved-{calls.n}", "app/count"), keep="app/|system/",
              drop=("size", "bytes"))


@case("snapshot diff")
def diff(calls: Calls) -> None:
    """Prints the differences of a snapshot and the present state."""
    snapshot(calls, f"compared-{calls.n}")
    calls.run("snapshot", "diff", f"compared-{calls.n}", has=("app/count", "90", f"saved-{calls.n}"), keep="app/|system/")


@case("snapshot restore")
def restore(calls: Calls) -> None:
    """Restores a snapshot."""
    snapshot(calls, f"restored-{calls.n}")
    calls.run("snapshot", "restore", f"restored-{calls.n}", has=("app/count",), keep="app/|system/")
    expect_value(calls.board, "app/count", calls.n)
    expect_host(calls.board, f"saved-{calls.n}")


@case("snapshot delete")
def delete(calls: Calls) -> None:
    """Deletes a snapshot."""
    snapshot(calls, f"deleted-{calls.n}")
    calls.run("snapshot", "delete", f"deleted-{calls.n}", keep="^$")
    expect("the snapshots", f"deleted-{calls.n}" in names(calls.board), False)


@case("snapshot export")
def export(calls: Calls) -> None:
    """Exports a snapshot to a file."""
    snapshot(calls, f"exported-{calls.n}")
    calls.run("snapshot", "export", f"exported-{calls.n}", "out.snapshot", form=False, keep="^$")
    text = calls.board.read("work/out.snapshot") or ""
    expect("the exported name", f'"exported-{calls.n}"' in text, True)
    expect("the exported setting", f"saved-{calls.n}" in text, True)


@case("snapshot import")
def import_snapshot(calls: Calls) -> None:
    """Imports an exported snapshot under another name, and restores it."""
    snapshot(calls, f"source-{calls.n}")
    pieces = calls.board.stream("dev.cleat.Snapshots.Export", name=f"source-{calls.n}")
    calls.board.write("work/in.snapshot", "".join(piece["text"] for piece in pieces))
    calls.run("snapshot", "import", "in.snapshot", "--name", f"imported-{calls.n}", has=(f"imported-{calls.n}",), keep="^$",
              drop=("size",))
    calls.board.call("dev.cleat.Snapshots.Restore", name=f"imported-{calls.n}")
    expect_value(calls.board, "app/count", calls.n)
    expect_host(calls.board, f"saved-{calls.n}")

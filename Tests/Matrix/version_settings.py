"""The cases of verbs that read and change settings."""

from __future__ import annotations

import time

from version_board import Failed
from version_calls import Calls
from version_cases import case, expect, expect_host, expect_value, generation

# MARK: Reading


@case("get")
def get(calls: Calls) -> None:
    """Reads a value, a group, a default, a secret and an unset setting."""
    calls.board.set({"app/count": 40 + calls.n, "app/map/one": 1, "app/password": "hidden"})
    calls.run("get", "app/count", has=(str(40 + calls.n),))
    calls.run("get", "app/map", has=("one",))
    calls.run("get", "app/label", "--default", has=("none",))
    calls.run("get", "app/password", "--reveal", has=("hidden",))
    done = calls.run("get", "app/ratio", status=0 if calls.is_json else 1)
    if calls.is_json and "value" in done.json["setting"]:
        raise Failed(f"an unset setting has a value: {done}")


@case("get --live", is_newer=True)
def get_live(calls: Calls) -> None:
    """Reads a value of the system."""
    calls.run("get", "system/hostname", "--live", has=("factory",))


@case("list")
def list_settings(calls: Calls) -> None:
    """Lists settings with their origins; releases have different settings of their own."""
    calls.board.set({"app/count": 40 + calls.n, "system/hostname": "listed"})
    calls.run("list", "app", has=("app/count", str(40 + calls.n), "app/label"))
    calls.run("list", "--only-set", has=("listed",))
    calls.run("list", has=("listed", "agent/log/level"), keep="app/|system/hostname")


@case("list --live", is_newer=True)
def list_live(calls: Calls) -> None:
    """Lists the values of the system."""
    calls.run("list", "system", "--live", has=("factory",))


@case("describe")
def describe(calls: Calls) -> None:
    """Prints the constraints of settings."""
    calls.run("describe", "app", has=("app/count", "1000", "Text on the label."))
    calls.run("describe", "system/hostname", has=("system/hostname",))
    calls.run("describe", "nothing/there", status=65)


@case("why")
def why(calls: Calls) -> None:
    """Prints the layers of a value."""
    calls.board.set({"app/label": f"mine-{calls.n}"}, comment="the reason")
    calls.run("why", "app/label", has=(f"mine-{calls.n}", "none", "the reason"))


@case("export")
def export(calls: Calls) -> None:
    """Prints settings as a file, in both formats."""
    calls.board.set({"app/count": 40 + calls.n, "app/password": "hidden"})
    done = calls.run("export", "--format", "json5" if calls.n == 1 else "json", form=False, has=(f"{40 + calls.n}",))
    if "hidden" in done.output:
        raise Failed(f"the export has a secret: {done}")
    calls.run("export", "app", "--reveal", form=False, has=("hidden",))


@case("watch")
def watch(calls: Calls) -> None:
    """Follows settings: the present values, then a change."""
    calls.board.set({"app/count": 10 + calls.n})
    started = calls.begin("watch", "app/count", "--count", "1")
    _change_until_ended(calls, started.process.poll, "app/count")
    calls.end(started, has=(f"{10 + calls.n}", f"{60 + calls.n}"))


def _change_until_ended(calls: Calls, poll: object, path: str) -> None:
    """Changes a setting once a client follows it, until the client ends."""
    assert callable(poll)
    calls.board.eventually(
        "the client is connected", lambda: poll() is not None or calls.board.call("dev.cleat.Service.Status")["connections"] > 1)
    time.sleep(0.3)
    calls.board.set({path: 60 + calls.n})


# MARK: Changing


@case("set")
def set_values(calls: Calls) -> None:
    """Sets values of several types; a repetition with the same id changes nothing; an invalid value is refused."""
    board, n = calls.board, calls.n
    words = ("set", f"app/count={n}", f'app/names=["a","b{n}"]', f"system/hostname=pump-{n}", "--id", f"set-{n}", "-c", "words")
    calls.run(*words, has=(f"pump-{n}", "app/count"))
    expect_value(board, "app/count", n)
    expect_value(board, "app/names", ["a", f"b{n}"])
    expect_host(board, f"pump-{n}")
    before = generation(board)
    calls.run(*words)
    expect("the generation", generation(board), before)
    calls.run("set", "app/count=5000", status=65, has=("1000",))
    expect_value(board, "app/count", n)
    calls.run("set", "--stdin", "app/password", stdin=f"secret-{n}\n")
    expect_value(board, "app/password", f"secret-{n}")
    calls.run("set", f"app/ratio={n}.5", "--volatile")
    expect_value(board, "app/ratio", n + 0.5)
    calls.run("set", "app/count=9", "--expect", "0000:7", status=75)
    calls.run("set", f"app/count={20 + n}", "--check", has=(f"{20 + n}",))
    expect_value(board, "app/count", n)


@case("unset")
def unset(calls: Calls) -> None:
    """Unsets a value and one that the system follows."""
    calls.board.set({"app/count": calls.n, "system/hostname": "mine"})
    calls.run("unset", "app/count", "system/hostname", has=("app/count",))
    expect_value(calls.board, "app/count", None)
    expect_host(calls.board, "factory")


@case("add")
def add(calls: Calls) -> None:
    """Adds values to a list."""
    calls.board.set({"app/names": ["a"]})
    calls.run("add", "app/names", f"b{calls.n}", "c", has=("app/names",))
    expect_value(calls.board, "app/names", ["a", f"b{calls.n}", "c"])


@case("remove")
def remove(calls: Calls) -> None:
    """Removes a value from a list."""
    calls.board.set({"app/names": ["a", f"b{calls.n}"]})
    calls.run("remove", "app/names", f"b{calls.n}", has=("app/names",))
    expect_value(calls.board, "app/names", ["a"])


@case("reset")
def reset(calls: Calls) -> None:
    """Resets a group, then everything."""
    calls.board.set({"app/count": calls.n, "app/label": "mine", "system/hostname": "mine"})
    calls.run("reset", "app", has=("app/count",))
    expect_value(calls.board, "app/count", None)
    expect_value(calls.board, "app/label", "none")
    expect_host(calls.board, "mine")
    calls.run("reset", "--yes", has=("system/hostname",))
    expect_host(calls.board, "factory")


@case("plan")
def plan(calls: Calls) -> None:
    """Prints the effects of a change, and rehearses it; the system is unchanged."""
    calls.board.set({"system/hostname": "before"})
    before = generation(calls.board)
    calls.run("plan", f"system/hostname=plan-{calls.n}", has=(f"plan-{calls.n}", "/etc/hostname"), drop=("plan",),
              keep="[#+-]|hostname")
    expect_host(calls.board, "before")
    calls.run("plan", "--reset", "system", has=("system/hostname",), drop=("plan",), keep="system/")
    expect("the generation", generation(calls.board), before)
    calls.run("plan", f"system/hostname=plan-{calls.n}", "--rehearse", has=("/etc/hostname",), drop=("plan",), keep="system/")
    expect_host(calls.board, "before")


@case("apply")
def apply(calls: Calls) -> None:
    """Applies a file with a document, then replaces a group."""
    board, n = calls.board, calls.n
    board.set({"app/ratio": 0.5})
    board.write("work/site.json5", f"{{ app: {{ count: {n}, label: 'file-{n}' }} }} // a comment\n")
    board.write("work/note.txt", f"document {n}\n")
    calls.run("apply", "site.json5", "--file", f"note-{n}.txt=note.txt", has=(f"file-{n}",))
    expect_value(board, "app/count", n)
    expect("the document", board.read(f"state/files/documents/note-{n}.txt"), f"document {n}\n")
    calls.run("apply", "-", "--prefix", "app", "--replace", stdin=f"{{ app: {{ count: {30 + n} }} }}", has=(f"{30 + n}",))
    expect_value(board, "app/ratio", None)
    expect_value(board, "app/count", 30 + n)


@case("edit")
def edit(calls: Calls) -> None:
    """Changes settings in an editor."""
    calls.board.set({"app/count": 10 + calls.n})
    editor = calls.board.write("work/editor", f"#!/bin/sh\nsed -i 's/{10 + calls.n}/{80 + calls.n}/' \"$1\"\n")
    editor.chmod(0o755)
    calls.run("edit", "app", has=("app/count",), EDITOR=str(editor), VISUAL=str(editor))
    expect_value(calls.board, "app/count", 80 + calls.n)


@case("init")
def init(calls: Calls) -> None:
    """Makes settings of the present configuration."""
    calls.board.set({"system/hostname": None})
    calls.run("init", "--dry-run", has=("system/hostname", "factory"))
    expect_value(calls.board, "system/hostname", None)
    calls.run("init", "--yes", has=("system/hostname",))
    expect_value(calls.board, "system/hostname", "factory")

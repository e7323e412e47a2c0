"""The cases of verbs for the history, trials, and edits outside of Cleat."""

from __future__ import annotations

import os

from version_calls import Calls
from version_cases import case, expect, expect_host, expect_value, generation, put_on_trial

# MARK: History


@case("log")
def log(calls: Calls) -> None:
    """Prints the history with authors and comments."""
    calls.board.set({"app/count": calls.n}, comment=f"first of {calls.form}")
    calls.board.set({"app/count": 5 + calls.n}, comment="second")
    calls.run("log", "--limit", "2", has=(f"first of {calls.form}", "second", "root", "app/count"))
    calls.run("log", "--limit", "1", "--before", "2", has=("first",))


@case("show")
def show(calls: Calls) -> None:
    """Prints one generation by its number and by its id."""
    calls.board.set({"app/count": 30 + calls.n}, id=f"shown-{calls.n}", comment="the reason")
    calls.run("show", f"shown-{calls.n}", has=("the reason", f"{30 + calls.n}"))
    calls.run("show", "1", has=("shown-1",))


@case("diff")
def diff(calls: Calls) -> None:
    """Prints the difference of two generations."""
    calls.board.set({"app/count": 1})
    calls.board.set({"app/count": 31 + calls.n, "app/label": "new"})
    calls.run("diff", has=("app/count", f"{31 + calls.n}"))
    calls.run("diff", "0", str(generation(calls.board)), has=("app/label", "new"))


@case("rollback")
def rollback(calls: Calls) -> None:
    """Restores the settings of an earlier generation, and those before the newest change."""
    calls.board.set({"system/hostname": f"old-{calls.n}"})
    number = generation(calls.board)
    calls.board.set({"system/hostname": "newer", "app/count": 3})
    calls.run("rollback", str(number), has=(f"old-{calls.n}",))
    expect_host(calls.board, f"old-{calls.n}")
    calls.board.set({"app/label": "third"})
    calls.run("rollback", has=("app/label",))
    expect_value(calls.board, "app/label", "none")


# MARK: Trials


@case("confirm")
def confirm(calls: Calls) -> None:
    """Keeps a change that the client itself has put on trial."""
    calls.run("set", f"system/hostname=kept-{calls.n}", "--confirm", "5m", "--id", f"kept-{calls.n}", has=(f"kept-{calls.n}",))
    expect("the change on trial", calls.board.trial(), f"kept-{calls.n}")
    calls.run("set", "app/count=4", status=75)
    calls.run("confirm", f"kept-{calls.n}")
    expect("the change on trial", calls.board.trial(), None)
    expect_host(calls.board, f"kept-{calls.n}")
    calls.run("confirm", status=75)


@case("extend")
def extend(calls: Calls) -> None:
    """Gives a change on trial more time, and then little."""
    put_on_trial(calls, f"extended-{calls.n}")
    calls.run("extend", "1h")
    calls.run("extend", "1s", f"extended-{calls.n}")
    calls.board.eventually("the change reverts", lambda: calls.board.trial() is None)
    expect_host(calls.board, "factory")


@case("abort")
def abort(calls: Calls) -> None:
    """Reverts the change on trial."""
    put_on_trial(calls, f"aborted-{calls.n}")
    calls.run("abort", f"aborted-{calls.n}")
    expect("the change on trial", calls.board.trial(), None)
    expect_host(calls.board, "factory")
    calls.run("abort", "nothing", status=75)


@case("try")
def try_change(calls: Calls) -> None:
    """Keeps changes whose command succeeds, and reverts them if it fails."""
    # Only the command writes to standard output.
    script = f"test -n \"$CLEAT_TRIAL\" && cat '{calls.board.disk}/root/etc/hostname'"
    calls.run("try", f"system/hostname=tried-{calls.n}", "--", "sh", "-c", script, has=(f"tried-{calls.n}",), is_text=True)
    expect_host(calls.board, f"tried-{calls.n}")
    expect("the change on trial", calls.board.trial(), None)
    calls.run("try", "system/hostname=failed", "--", "sh", "-c", "exit 3", status=3, is_text=True)
    expect_host(calls.board, f"tried-{calls.n}")


# MARK: Drift


def _edit_host(calls: Calls) -> None:
    """Edits the host name outside of Cleat."""
    calls.board.set({"system/hostname": f"mine-{calls.n}"})
    path = calls.board.write("root/etc/hostname", f"theirs-{calls.n}\n")
    os.utime(path, (1_700_000_000 + calls.n, 1_700_000_000 + calls.n))


@case("drift")
def drift(calls: Calls) -> None:
    """Lists an edit outside of Cleat."""
    calls.run("drift")
    _edit_host(calls)
    calls.run("drift", status=1, has=("/etc/hostname", f"theirs-{calls.n}"), keep="hostname")
    expect_host(calls.board, f"theirs-{calls.n}")
    calls.board.call("dev.cleat.System.Reapply", names=["/etc/hostname"])


@case("reapply")
def reapply(calls: Calls) -> None:
    """Writes the settings over an edit."""
    _edit_host(calls)
    calls.run("reapply", "/etc/hostname", has=("/etc/hostname",))
    expect_host(calls.board, f"mine-{calls.n}")


@case("adopt")
def adopt(calls: Calls) -> None:
    """Makes an edit the setting."""
    _edit_host(calls)
    calls.run("adopt", "/etc/hostname", has=("system/hostname",))
    expect_value(calls.board, "system/hostname", f"theirs-{calls.n}")
    expect_host(calls.board, f"theirs-{calls.n}")

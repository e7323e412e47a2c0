"""The steps of the table: what each one does to a board, and what it requires."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import replace

from board import Board, Failure
from power_cuts import cut_power
from services import INTERFACE, SETTINGS
from states import (NEW, OLD, THEIRS, Wanted, expect, expect_clean, expect_whole, network, settings, whole, without_ipv6)

#: A step returns words for its cell, or nothing; it raises Failure.
Step = Callable[[Board], str | None]
OUTSIDE = "203.0.113.77/24"


def hand_over(board: Board) -> None:
    """Does what is documented for the first change of an interface that the service configures already."""
    expect(board, "before Cleat", THEIRS, is_exact=True)
    if board.service.is_adopted:
        board.cleat("adopt", f"interface:{INTERFACE}", status=0)
        expect(board, "adopted", THEIRS)
    board.check(board.service.hand_over or "true")


def prepare(board: Board, old: Wanted = OLD) -> None:
    """Makes the first change, or a bridge; for a bridge nothing is handed over."""
    if old is OLD:
        hand_over(board)
    board.cleat(*old.change(board.service), status=0)
    expect(board, "set", old.network(board.service))
    expect_clean(board, "set")
    board.break_tool()


def set_values(board: Board) -> str | None:
    """Sets all values, changes them, and switches IPv6 off."""
    hand_over(board)
    board.break_tool()
    board.cleat("set", *OLD.assignments(board.service), status=0)
    expect(board, "set", OLD.network(board.service))
    expect_clean(board, "set")
    board.cleat("set", *NEW.assignments(board.service), status=0)
    expect(board, "changed", NEW.network(board.service))
    if not board.service.has_ipv6_modes:
        refused = board.cleat("set", f"{SETTINGS}/ipv6=off", status=65)
        require_words(refused.stderr, "the refusal of ipv6", "kernel/sysctl")
        return "ok; ipv6 is refused as documented"
    board.cleat(
        "set", f"{SETTINGS}/ipv6=off", f"{SETTINGS}/privacy=false", f'{SETTINGS}/addresses=["{NEW.address}"]', status=0)
    expect(board, "without IPv6", without_ipv6(NEW.network(board.service)))
    expect_clean(board, "without IPv6")
    return None


def trial(board: Board, old: Wanted = OLD, new: Wanted = NEW) -> None:
    """Puts a change on trial: the old addresses stay next to the new ones; an abort restores everything."""
    prepare(board, old)
    before = whole(board)
    identifier = _begin(board, old, new, "5m")
    refused = board.cleat("set", f"{old.path}/mtu=1350")
    if refused.returncode != 75:
        raise Failure(f"another change during the trial ended with {refused.returncode} instead of 75")
    expect(board, "on trial", new.network(board.service, kept=old))
    board.cleat("abort", identifier, status=0)
    expect_whole(board, "aborted", before)
    expect_clean(board, "aborted")


def revert(board: Board, old: Wanted = OLD, new: Wanted = NEW) -> None:
    """Does not confirm a change: it reverts at its time, not before, and not much later."""
    prepare(board, old)
    before = whole(board)
    start = time.monotonic()
    _begin(board, old, new, "5s")
    board.eventually("the trial ends", lambda: not board.ask("status").get("trial"), 60)
    seconds = time.monotonic() - start
    if seconds < 5:
        raise Failure(f"the change of 5 s reverted after {seconds:.1f} s")
    require_words(board.cleat("log", status=0).stdout, "the log", "was reverted")
    expect_whole(board, "reverted by its time", before)
    expect_clean(board, "reverted by its time")


def kill(board: Board, old: Wanted = OLD, new: Wanted = NEW) -> None:
    """Kills the agent during two trials: the first is still on trial afterwards, the time of the second has passed."""
    prepare(board, old)
    before = whole(board)
    identifier = _begin(board, old, new, "5m")
    board.kill_cleatd()
    board.start_cleatd()
    if (board.ask("status").get("trial") or {}).get("id") != identifier:
        raise Failure("the change is not on trial after the restart, although its time has not passed")
    expect(board, "on trial after the restart", new.network(board.service, kept=old))
    board.cleat("extend", "2s", identifier, status=0)
    board.eventually("the trial ends", lambda: not board.ask("status").get("trial"), 60)
    expect_whole(board, "reverted after the restart", before)

    _begin(board, old, new, "8s")
    board.kill_cleatd()
    time.sleep(9)
    expect(board, "on trial without an agent", new.network(board.service, kept=old))
    board.start_cleatd()
    board.eventually("the trial ends", lambda: not board.ask("status").get("trial"), 60)
    expect_whole(board, "reverted at startup", before)
    expect_clean(board, "reverted at startup")


def confirm(board: Board, old: Wanted = OLD, new: Wanted = NEW) -> None:
    """Confirms a change: only the new addresses stay, also over a restart of the agent."""
    prepare(board, old)
    board.cleat("confirm", _begin(board, old, new, "5m"), status=0)
    expect(board, "confirmed", new.network(board.service))
    expect_clean(board, "confirmed")
    after = whole(board)
    board.kill_cleatd()
    board.start_cleatd()
    expect_whole(board, "confirmed, after a restart", after)
    expect_clean(board, "confirmed, after a restart")


def drift(board: Board, old: Wanted = OLD) -> None:
    """Edits the interface by ip(8): each edit is reported by name, nothing overwrites it, and reapply discards it."""
    prepare(board, old)
    name = old.interface
    edits = {
        f"ip address add {OUTSIDE} dev {name}": OUTSIDE,
        f"ip route del {old.route} dev {name}": old.route,
        f"ip link set {name} mtu 1450": "1450",
    }
    for command, word in edits.items():
        if board.fault != "edit":
            board.check(command)
        edited = network(board)
        found = board.cleat("drift", status=1)
        require_words(found.stdout, f"drift after `{command}`", f"interface:{name}", word, "cleat reapply")
        if network(board) != edited:
            raise Failure(f"`cleat drift` changed the interface after `{command}`")
        board.cleat("reapply", f"interface:{name}", status=0)
        expect(board, f"reapplied after `{command}`", old.network(board.service))
        expect_clean(board, f"reapplied after `{command}`")


def adopt(board: Board) -> str | None:
    """Adopts an outside edit: NetworkManager's profile, the kernel's addresses; elsewhere that is refused."""
    if board.service.is_adopted:
        return _adopt_profile(board)
    prepare(board)
    if board.fault != "edit":
        board.check(f"ip address add {OUTSIDE} dev {INTERFACE}")
    before = settings(board)
    edited = network(board)
    if not board.service.keeps_routes:
        refused = board.cleat("adopt", f"interface:{INTERFACE}", status=65)
        name = "ifupdown" if "ifupdown" in board.service.name else board.service.name
        require_words(refused.stderr, "the refusal", f"is configured by {name}")
        if settings(board) != before or network(board) != edited:
            raise Failure("the refused adoption changed settings or the interface")
        return "refused as documented"
    board.cleat("adopt", f"interface:{INTERFACE}", status=0)
    require_words(settings(board), "the settings after the adoption", OUTSIDE, OLD.address)
    wanted = OLD.network(board.service)
    adopted = {*wanted.addresses, OUTSIDE}, {*wanted.routes, "203.0.113.0/24"}
    expect(board, "adopted", replace(wanted, addresses=frozenset(adopted[0]), routes=frozenset(adopted[1])))
    expect_clean(board, "adopted")
    return None


def _adopt_profile(board: Board) -> None:
    expect(board, "before Cleat", THEIRS, is_exact=True)
    board.break_tool()
    if board.fault == "edit":
        board.check("rm /etc/NetworkManager/system-connections/office.nmconnection; nmcli connection reload")
    refused = board.cleat("set", f"{SETTINGS}/mtu=1400", status=65)
    require_words(refused.stderr, "the refusal", "the profile “office”", f"cleat adopt interface:{INTERFACE}")
    expect(board, "refused", THEIRS, is_exact=True)
    board.cleat("adopt", f"interface:{INTERFACE}", status=0)
    require_words(settings(board), "the settings after the adoption", "203.0.113.5/24", "203.0.113.9", "10.9.0.0/16")
    active = board.check(f"nmcli -g GENERAL.CONNECTION device show {INTERFACE}").strip()
    if active != f"cleat-{INTERFACE}":
        raise Failure(f"the profile “{active}” is active instead of cleat-{INTERFACE}")
    expect(board, "adopted", THEIRS, is_exact=True)
    expect_clean(board, "adopted")


def unset(board: Board) -> None:
    """Unsets the interface: it is as before Cleat, files included."""
    _release(board, ["unset", SETTINGS])


def reset(board: Board) -> None:
    """Resets all settings, after two changes: the interface is as before Cleat, files included."""
    _release(board, ["reset", "--yes"], NEW.assignments(board.service))


def _release(board: Board, words: list[str], more: list[str] | None = None) -> None:
    expect(board, "before Cleat", THEIRS, is_exact=True)
    board.check(board.service.hand_over or "true")
    before = whole(board)
    hand_over(board)
    board.cleat("set", *OLD.assignments(board.service), status=0)
    expect(board, "set", OLD.network(board.service))
    if more:
        board.cleat("set", *more, status=0)
        expect(board, "changed", NEW.network(board.service))
    board.break_tool()
    board.cleat(*words, status=0)
    expect_whole(board, "as before Cleat", before)
    expect(board, "as before Cleat", THEIRS, is_exact=True)
    expect_clean(board, "as before Cleat")


def power_cut(board: Board) -> str:
    """Cuts the power at random instants of changes."""
    prepare(board)
    return cut_power(board)


def _begin(board: Board, old: Wanted, new: Wanted, time_limit: str) -> str:
    """Makes a change on trial; returns its id."""
    identifier = f"t-{uuid.uuid4()}"
    board.cleat(*new.change(board.service), "--confirm", time_limit, "--id", identifier, status=0)
    expect(board, "on trial", new.network(board.service, kept=old))
    return identifier


def require_words(text: str, where: str, *words: str) -> None:
    """Requires that a text has all words."""
    for word in words:
        if word not in text:
            raise Failure(f"{where} lacks “{word}”: {' / '.join(text.split(chr(10)))}")


STEPS: dict[str, Step] = {
    "set": set_values, "trial": trial, "revert": revert, "kill -9": kill, "confirm": confirm, "power cut": power_cut,
    "drift": drift, "adopt": adopt, "unset": unset, "reset": reset,
}

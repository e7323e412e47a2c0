"""The step "bridge": the whole life of a bridge that Cleat makes of the interface.

Its settings are those of the other steps, and `bridge/ports` and `bridge/stp`. The interface keeps the administrator's
configuration, which is in force again once the bridge is unset. With a spanning tree a new bridge has a carrier after 30
seconds.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, replace

from board import Board
from network_steps import confirm, drift, kill, prepare, require_words, revert, trial
from power_cuts import cut_power
from services import BRIDGE, INTERFACE, Service
from states import NEW, OLD, THEIRS, Network, Whole, expect, expect_clean, expect_whole, whole

#: The number of power cuts in changes of the bridge, and the number in those that make and unset it.
CUTS = int(os.environ.get("CLEAT_MATRIX_CUTS", "8"))
#: Seconds until a bridge with a spanning tree has a carrier and its configuration.
PATIENCE = 50.0
WITHOUT_TREE = replace(OLD, interface=BRIDGE, stp=False)
WITH_TREE = replace(NEW, interface=BRIDGE, stp=True)


@dataclass(frozen=True)
class Unset:
    """The change that unsets the bridge."""

    def change(self, _: Service) -> list[str]:
        """Returns the words for `cleat`."""
        return ["unset", WITHOUT_TREE.path]

    def network(self, _: Service) -> Network:
        """Returns the state of the interface as before Cleat."""
        return THEIRS


def bridge(board: Board) -> str:
    """Makes a bridge, changes it in every way, cuts the power meanwhile, and unsets it."""
    if not board.fault:
        board.patience = PATIENCE
    expect(board, "before Cleat", THEIRS, is_exact=True)
    before = whole(board)
    if not board.service.has_bridges:
        refused = board.cleat("set", *WITHOUT_TREE.assignments(board.service), status=65)
        require_words(refused.stderr, "the refusal", "ifupdown runs on this board", "/etc/network/interfaces")
        expect_whole(board, "refused", before)
        expect_clean(board, "refused")
        return "refused as documented"
    _make_on_trial(board, before)
    for step in (trial, revert, kill, confirm):
        step(board, WITHOUT_TREE, WITH_TREE)
    drift(board, WITHOUT_TREE)
    _drift_of_link(board)
    _unset_on_trial(board)
    # What is configured by hand is so at each boot.
    board.service = replace(board.service, mounts=board.service.mounts + board.service.first_start)
    changes = cut_power(board, WITHOUT_TREE, WITH_TREE, CUTS, "cut of the bridge")
    _unset(board, before)
    makings = cut_power(board, Unset(), WITHOUT_TREE, CUTS, "cut of no bridge or one")
    prepare(board, WITHOUT_TREE)
    _unset(board, before)
    return f"{changes}; made and unset: {makings.removeprefix('ok; ')}"


def _make_on_trial(board: Board, before: Whole) -> None:
    """Makes the bridge on trial: it is whole, also after a restart of the agent, and gone after an abort."""
    board.cleat(*WITHOUT_TREE.change(board.service), "--confirm", "5m", "--id", "made", status=0)
    expect(board, "made on trial", WITHOUT_TREE.network(board.service))
    board.kill_cleatd()
    board.start_cleatd()
    expect(board, "made on trial, after a restart", WITHOUT_TREE.network(board.service))
    board.cleat("abort", "made", status=0)
    expect_whole(board, "not made", before)
    expect_clean(board, "not made")


def _unset_on_trial(board: Board) -> None:
    """Unsets the bridge on trial: an abort makes it again."""
    before = whole(board)
    board.cleat(*Unset().change(board.service), "--confirm", "5m", "--id", "unset", status=0)
    expect(board, "unset on trial", THEIRS)
    board.cleat("abort", "unset", status=0)
    expect_whole(board, "not unset", before)
    expect_clean(board, "not unset")


def _drift_of_link(board: Board) -> None:
    """Edits the bridge itself: that is reported, and discarded; a network service may itself add a port again."""
    for command, is_kept in {
        f"ip link set {BRIDGE} type bridge stp_state 1": True, f"ip link set {INTERFACE} nomaster": not board.service.tool,
    }.items():
        board.check(command)
        if is_kept:
            require_words(board.cleat("drift", status=1).stdout, f"drift after `{command}`", BRIDGE, "cleat reapply")
        board.cleat("reapply", "--all", status=0)
        expect(board, f"reapplied after `{command}`", WITHOUT_TREE.network(board.service))
        expect_clean(board, f"reapplied after `{command}`")


def _unset(board: Board, before: Whole) -> None:
    """Unsets the bridge: the interface is as before Cleat, files included."""
    board.cleat(*Unset().change(board.service), status=0)
    expect_whole(board, "as before Cleat", before)
    expect(board, "as before Cleat", THEIRS, is_exact=True)
    expect_clean(board, "as before Cleat")

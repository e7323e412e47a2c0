"""Targets by what people call them on the command line."""

from __future__ import annotations

from collections.abc import Sequence

from target.target import Target


def open_target(
    address: str, *, image: str = "bare", ssh: Sequence[str] = ("ssh",), may_reboot: bool = False,
    slowness: float | None = None, memory_mib: int = 256,
) -> Target:
    """Opens `local`, `vboard` or `ssh://[user@]host[:port]`; a virtual board gets so much memory.

    Raises `ValueError` for another word, `TargetError` where the target cannot be had.
    """
    if address == "local":
        from target.local import LocalTarget

        return LocalTarget()
    if address == "vboard":
        from target.vboard import VBoardTarget

        return VBoardTarget(image, memory_mib=memory_mib)
    if address.startswith("ssh://"):
        from target.ssh import SSHTarget

        return SSHTarget(address, ssh=ssh, may_reboot=may_reboot, slowness=slowness or 5)
    raise ValueError(f"{address} is no target; there are vboard, local and ssh://[user@]host[:port]")


def require_parts(address: str) -> None:
    """Checks that this machine has the programs for a target, before anything is built for it.

    Raises `TargetMissing`.
    """
    if address == "vboard":
        from target.vboard import require_board

        require_board()

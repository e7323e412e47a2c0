"""The limits of a binary for a board: its size, and the code that it may not hold."""

from __future__ import annotations

from pathlib import Path

from .elf import Binary, read_binary
from .failure import Failure

PRODUCTS = ("cleatd", "cleat", "cleat-location")
#: Those whose functions are in the order in which they first run.
ORDERED = ("cleatd", "cleat")
MEGABYTE = 1_000_000

#: Hold and aim of the budgets in MB, by kind of build and product: a change may not break the first.
COLUMNS: dict[str, dict[str, tuple[float, float]]] = {
    "aarch64": {"cleatd": (10, 7.5), "cleat": (15, 11), "cleat-location": (10, 7.5)},
    "x86_64": {"cleatd": (12, 8.5), "cleat": (17, 12), "cleat-location": (12, 8.5)},
}


def problems(binary: Binary, arch: str, hold: float) -> list[str]:
    """Returns what is wrong with a stripped binary, each with what to do about it."""
    name = binary.path.name
    found: list[str] = []
    if binary.machine != arch:
        found.append(f"{name} is for {binary.machine}, not for {arch}")
    if not binary.is_static:
        needs = ", ".join([binary.interpreter, *binary.needed]).strip(", ")
        found.append(f"{name} is dynamic (it needs {needs}); what it links must be in the SDK or in the sysroot")
    if binary.holds_icu:
        found.append(f"{name} holds ICU's data (icudt): something uses all of Foundation; FoundationEssentials will do")
    if binary.holds_crash_points:
        found.append(f"{name} holds the crash points of tests: they belong into debug builds (Package.swift)")
    if binary.writable_constants:
        found.append(
            f"{name} has {binary.writable_constants:,} bytes of constants that can be overwritten; "
            "cross/toolchain/link/sections.ld moves them where they are made read-only at the start")
    if binary.size > hold * MEGABYTE:
        found.append(
            f"{name} weighs {binary.size / MEGABYTE:.2f} MB, over the hold of {hold:g} MB by "
            f"{binary.size - hold * MEGABYTE:,.0f} bytes; see what is largest in it before anything is raised")
    return found


def check(directory: Path, arch: str, hold: float | None = None) -> tuple[list[str], list[str]]:
    """Checks the binaries in a directory; returns a table to print, and what is wrong."""
    lines = [f"{'':14} {'MB':>6} {'hold':>6} {'aim':>6}   {'bytes':>12}"]
    wrong: list[str] = []
    for product in PRODUCTS:
        binary = read_binary(directory / product)
        held, aim = COLUMNS[arch][product]
        held = hold if hold is not None else held
        wrong += problems(binary, arch, held)
        lines.append(
            f"{product:14} {binary.size / MEGABYTE:6.2f} {held:6g} {aim:6g}   {binary.size:12,}"
            f"{'  over the hold' if binary.size > held * MEGABYTE else ''}")
    return lines, wrong


def require(directory: Path, arch: str, hold: float | None = None) -> list[str]:
    """Checks as `check` does and raises what is wrong."""
    lines, wrong = check(directory, arch, hold)
    if wrong:
        raise Failure("\n  ".join([f"the binaries for {arch} must not go onto a board:", *wrong]) + "\n" + "\n".join(lines))
    return lines

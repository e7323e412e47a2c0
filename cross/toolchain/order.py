"""The order in which the linker puts the functions of programs for a board: those together that run together."""

from __future__ import annotations

import subprocess
from pathlib import Path

from .budget import ORDERED
from .compiler import Compiler
from .failure import Failure
from .flags import ORDER

NEEDED = 0.9
"""The share of names that each program must have."""
AIM = 0.95
"""The share when the file is written: names go with the code that changes."""


def functions(program: Path, compiler: Compiler) -> set[str]:
    """Returns the names of the functions of a program that was not stripped."""
    answer = subprocess.run(
        [compiler.tool("llvm-nm"), "--defined-only", "--format=posix", str(program)], capture_output=True, text=True,
        check=False, stdin=subprocess.DEVNULL, timeout=300)
    if answer.returncode:
        raise Failure(f"llvm-nm cannot read {program}: {answer.stderr.strip()[:400]}")
    lines = (line.rsplit(" ", 3) for line in answer.stdout.splitlines())
    return {words[0] for words in lines if len(words) == 4 and words[1] in "tTwW"}


def known() -> list[str]:
    """Returns the names in the file, in their order."""
    return ORDER.read_text(encoding="utf-8").split()


def shares(names: list[str], programs: dict[str, set[str]]) -> dict[str, float]:
    """Returns the share of names that each program has."""
    return {program: sum(name in found for name in names) / max(1, len(names)) for program, found in programs.items()}


def require_order(products: Path, compiler: Compiler) -> None:
    """Fails where too few names of the file are those of functions in the programs that were built."""
    programs = {name: functions(products / name, compiler) for name in ORDERED}
    for program, share in shares(known(), programs).items():
        if share < NEEDED:
            raise Failure(
                f"{program} has {share:.0%} of the functions that {ORDER.name} names, and needs {NEEDED:.0%}",
                then="trace them again with cross/order, then build again")

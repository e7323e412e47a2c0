"""The tests that a change can break, by the names of the files that it touches."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from .run import REPOSITORY

#: Modules whose tests do not have the module's name.
_TESTED_BY = {
    "cleat": "CommandLineTests", "cleatd": "SystemTests", "cleat-location": "LocationTests", "CLinux": "CleatIOTests",
    "CSQLite": "CleatStoreTests", "CUdev": "CleatObserversTests", "CleatUdev": "CleatObserversTests",
    "CleatFoundation": "CleatTests"}
#: The tests of the programs take minutes, so that only changed suites of them run.
_PROGRAMS = "SystemTests"
#: The first test of the programs: that the service starts, and what it starts with.
_FIRST = r"^SystemTests\.LifeCycleTests/"


@dataclass(frozen=True)
class Choice:
    """Tests to build and to run."""

    #: Test targets.
    modules: list[str]
    #: Regular expressions for the names of tests.
    filters: list[str]
    #: True if the tools for boards are tested as well.
    tools: bool


def changed_files() -> list[str]:
    """Returns the files that differ from the last commit, untracked ones too; those of that commit where none does."""
    files = _git("diff", "--name-only", "HEAD") + _git("ls-files", "--others", "--exclude-standard")
    return files or _git("diff", "--name-only", "HEAD~1", "HEAD")


def choose(files: Iterable[str]) -> Choice:
    """Returns the tests of the modules that files belong to."""
    modules: set[str] = set()
    filters: set[str] = set()
    tools = False
    for file in files:
        parts = Path(file).parts
        tools = tools or parts[0] in (".ci", "cross", "Benchmarks") or parts[:2] == ("Tests", "Cross")
        if file == "Package.swift" or parts[:2] == ("Tests", "CleatTestSupport"):
            modules.add("CleatIOTests")
        elif len(parts) > 2 and parts[0] in ("Sources", "Tools"):
            modules.add(_TESTED_BY.get(parts[1], f"{parts[1]}Tests"))
        elif len(parts) > 2 and parts[0] == "Tests" and parts[1] == _PROGRAMS:
            modules.add(_PROGRAMS)
            filters |= {rf"^{_PROGRAMS}\.{suite}/" for suite in _suites(REPOSITORY / file)}
        elif len(parts) > 2 and parts[0] == "Tests" and parts[1].endswith("Tests"):
            modules.add(parts[1])
    if _PROGRAMS in modules and not filters:
        filters = {_FIRST}
    filters |= {rf"^{module}\." for module in modules - {_PROGRAMS}}
    return Choice(sorted(modules), sorted(filters), tools)


def _suites(path: Path) -> Sequence[str]:
    """Returns the names of the suites in a file; none where it is gone or holds none."""
    text = path.read_text(encoding="utf-8") if path.exists() and path.suffix == ".swift" else ""
    return re.findall(r"\b(?:struct|class|actor) (\w+Tests)\b", text)


def _git(*words: str) -> list[str]:
    done = subprocess.run(
        ["git", *words, "-z"], cwd=REPOSITORY, capture_output=True, text=True, check=True, stdin=subprocess.DEVNULL)
    return [name for name in done.stdout.split("\0") if name]

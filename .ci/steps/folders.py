"""The folders of each module depend one way.

`python3 .ci/steps/folders.py` prints each circle of folders with the types that close it, and ends with 1 if there are
any. A folder depends on another if a file in it names a type that the other declares. Uses through members of a type are
not seen.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

SOURCES = Path(__file__).resolve().parents[2] / "Sources"
#: The declaration of a type at the top level of a file.
DECLARATION = re.compile(
    r"^(?:@\w+(?:\([^)]*\))?\s+)*(?:(?:public|package|internal|final|indirect|nonisolated)\s+)*"
    r"(?:struct|class|actor|enum|protocol|typealias)\s+(\w+)", re.MULTILINE)
#: The name of a type that is no member of another.
NAME = re.compile(r"(?<![.\w])([A-Z]\w+)")
#: The parts of a text that are code.
INTERPOLATION = re.compile(r"\\\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
TEXT = re.compile(r'"""(?:.*?)"""|"(?:[^"\\\n]|\\.)*"', re.DOTALL)

Edges = dict[str, dict[str, set[tuple[str, str]]]]


def code(text: str) -> str:
    """Returns Swift without comments and texts, but with what texts interpolate."""
    text = re.sub(r"^\s*//.*$|(?<=\s)//.*$", "", text, flags=re.MULTILINE)
    return TEXT.sub(lambda match: " ".join(INTERPOLATION.findall(match.group(0))), text)


def edges(module: Path) -> Edges:
    """Returns for each folder of a module the folders that it depends on, with the types and the files."""
    files = {path: code(path.read_text(encoding="utf-8")) for path in sorted(module.rglob("*.swift"))}
    folders = {path: path.relative_to(module).parent.as_posix().split("/")[0] for path in files}
    declared: dict[str, set[str]] = defaultdict(set)
    for path, text in files.items():
        for name in DECLARATION.findall(text):
            declared[name].add(folders[path])
    owner = {name: next(iter(where)) for name, where in declared.items() if len(where) == 1}
    found: Edges = defaultdict(lambda: defaultdict(set))
    for path, text in files.items():
        for name in set(NAME.findall(text)):
            if owner.get(name, folders[path]) != folders[path]:
                found[folders[path]][owner[name]].add((name, path.name))
    return found


def circles(found: Edges) -> list[set[str]]:
    """Returns the sets of folders that depend on each other."""
    reach: dict[str, set[str]] = {}
    for start in found:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for target in found.get(waiting.pop(), {}):
                if target not in seen:
                    seen.add(target)
                    waiting.append(target)
        reach[start] = seen
    result: list[set[str]] = []
    for start in sorted(found):
        circle = {other for other in reach[start] if start in reach.get(other, set())}
        if circle and circle not in result:
            result.append(circle)
    return result


def problems(sources: Path) -> list[str]:
    """Returns a line for each pair of folders in a circle, with the types that the first one uses."""
    lines = []
    for module in sorted(path for path in sources.iterdir() if path.is_dir()):
        found = edges(module)
        for circle in circles(found):
            for folder in sorted(circle):
                for target in sorted(circle & set(found[folder])):
                    uses = ", ".join(f"{name} in {file}" for name, file in sorted(found[folder][target])[:4])
                    lines.append(f"{module.name}: {folder} depends on {target}: {uses}")
    return lines


def main() -> int:
    """Checks all modules."""
    found = problems(SOURCES)
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

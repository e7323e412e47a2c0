"""The parts of the tools depend one way: no circle of imports, and none of the guest agent's headers."""

from __future__ import annotations

import ast
import re
import unittest
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROOTS = (ROOT / "cross", ROOT / ".ci")
AGENT = ROOT / "cross/vboard/agent"


def modules() -> dict[str, Path]:
    """Returns the path of each Python module of the tools by its dotted name."""
    found = {}
    for directory in ROOTS:
        for path in directory.rglob("*.py"):
            name = ".".join(path.relative_to(directory).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


def imports(name: str, path: Path, known: set[str]) -> Iterator[str]:
    """Yields the modules of the tools that a module imports, also those that it imports late."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            start = package.split(".")[:len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*start, *filter(None, [node.module])])
            for alias in node.names:
                yield from {f"{base}.{alias.name}", base} & known


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Returns the names on a circle, in order; nothing if there is none."""
    done: set[str] = set()

    def visit(name: str, path: list[str]) -> list[str]:
        if name in path:
            return [*path[path.index(name):], name]
        if name in done:
            return []
        for other in sorted(graph[name]):
            if found := visit(other, [*path, name]):
                return found
        done.add(name)
        return []

    return next((found for name in sorted(graph) if (found := visit(name, []))), [])


def headers(path: Path) -> set[str]:
    """Returns the agent's headers that a file includes."""
    return set(re.findall(r'^#include "([^"]+)"', path.read_text(encoding="utf-8"), re.MULTILINE))


class CircleTests(unittest.TestCase):
    def test_a_circle_is_found(self) -> None:
        self.assertEqual(circle({"a": {"b"}, "b": {"c"}, "c": {"b"}}), ["b", "c", "b"])
        self.assertEqual(circle({"a": {"b", "c"}, "b": {"c"}, "c": set()}), [])

    def test_python_modules_import_one_way(self) -> None:
        found = modules()
        graph = {name: set(imports(name, path, set(found))) - {name} for name, path in found.items()}
        self.assertGreater(sum(map(len, graph.values())), 100)
        self.assertEqual(circle(graph), [])

    def test_parts_of_the_agent_include_one_way(self) -> None:
        graph: dict[str, set[str]] = {}
        for path in sorted(AGENT.glob("*.[ch]")):
            # A part is a header with its source: what either includes, the part depends on.
            graph.setdefault(path.stem, set()).update(name.removesuffix(".h") for name in headers(path))
        graph = {name: others - {name} for name, others in graph.items()}
        self.assertGreater(sum(map(len, graph.values())), 20)
        self.assertEqual(circle(graph), [])


if __name__ == "__main__":
    unittest.main()

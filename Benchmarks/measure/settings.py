"""The settings and schema files of the measured services."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

#: The path that every get and set of one setting uses.
ONE = "bench/e0/mtu"
_LEAVES: tuple[tuple[str, Any], ...] = (
    ("dhcp", True), ("enabled", True), ("gateway", "192.0.2.1"), ("mtu", 1500))
#: A map of groups of four settings, which nothing follows.
MAP = {"type": "object", "properties": {"bench": {"type": "object", "additionalProperties": {
    "type": "object", "properties": {
        "dhcp": {"type": "boolean"}, "enabled": {"type": "boolean"}, "gateway": {"type": "string"},
        "mtu": {"type": "integer", "maximum": 65535}}}}}}
#: One setting that one file follows.
FOLLOWED = {"type": "object", "properties": {"followed": {"type": "object", "properties": {
    "value": {"type": "integer", "default": 0}}}},
    "x-cleat-apply": [{"file": "/etc/followed.conf", "makeDirectories": True, "escape": "line",
                       "template": ["value = {{followed/value}}"]}]}
#: Managed files of a board that has many, and how many of them a schema file has.
MANAGED, _EACH = 500, 25


def settings(count: int) -> Iterator[tuple[str, Any]]:
    """Yields the path and the value of so many settings of the map."""
    for index in range(count):
        leaf, value = _LEAVES[index % 4]
        yield f"bench/e{index // 4}/{leaf}", value


def many(count: int, number: int) -> list[tuple[str, int]]:
    """Returns so many settings of the map, with values that differ from those of the number before."""
    return [(f"bench/e{index}/mtu", 1000 + (number + index) % 60000) for index in range(count)]


def hundred(number: int) -> list[tuple[str, int]]:
    """Returns a hundred settings of the map, with values that differ from those of the number before."""
    return many(100, number)


def managed(files: int = MANAGED) -> dict[str, dict[str, Any]]:
    """Returns schema files, by name, whose settings so many files of about 1 KB follow."""
    found = {}
    for number in range(files // _EACH):
        names = [f"n{number * _EACH + index}" for index in range(_EACH)]
        leaves = {name: {"type": "object", "properties": {"value": {"type": "integer"}}} for name in names}
        found[f"managed{number:02}"] = {
            "type": "object", "properties": {"managed": {"type": "object", "properties": leaves}},
            "x-cleat-apply": [
                {"file": f"/etc/managed/{name}.conf", "makeDirectories": True, "escape": "line",
                 "template": [f"option{line} = {{{{managed/{name}/value}}}}" for line in range(60)]}
                for name in names]}
    return found


def managed_values(number: int = 0, files: int = MANAGED) -> list[tuple[str, int]]:
    """Returns a value for the setting of each managed file."""
    return [(f"managed/n{index}/value", number + index) for index in range(files)]

"""The essential part of a client's output, which is the same with each service; and the explanation of a refusal.

Times, random ids, the board's directory and prose differ from run to run or from release to release, and are omitted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

#: Members of JSON whose values are those of one run, or sentences for people.
VOLATILE = frozenset((
    "time", "boot_id", "boot_time", "synchronised", "store", "instance", "modified", "expires_in", "token", "duration",
    "remaining", "message", "remedy", "summary", "reason", "description", "free_bytes", "deadline", "reach"))
#: Texts of one run, and their replacements.
PLAIN = (
    (re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z\??"), "TIME"),
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|(?<![0-9a-f])[0-9a-f]{16,64}(?![0-9a-f])"), "ID"),
    (re.compile(r"\b\d+(\.\d+)? ?(ms|s|min|m|h)\b"), "DURATION"),
    (re.compile(r"[ \t]+"), " "),
)
#: Words of a refusal that explains itself: the service is the older one, and the next step.
EXPLAINED = (re.compile(r"\b(older|too old)\b"), re.compile(r"\b(install|update|upgrade)\b"))
#: Words of the protocol, which mean nothing to a user.
RAW = re.compile(r"org\.varlink|MethodNotFound|InterfaceNotFound|InvalidParameter|MethodNotImplemented")


def plain(text: str, directory: str) -> str:
    """Returns a text without the parts of one run."""
    text = text.replace(directory, "$D")
    for pattern, replacement in PLAIN:
        text = pattern.sub(replacement, text)
    return text.strip()


def lines(text: str, keep: re.Pattern[str], directory: str) -> list[str]:
    """Returns the essential lines of a text."""
    return [line for line in (plain(line, directory) for line in text.splitlines()) if keep.search(line)]


def documents(text: str) -> Iterable[Any]:
    """Yields the JSON documents of a text, one after another."""
    decoder = json.JSONDecoder()
    text = text.strip()
    while text:
        document, end = decoder.raw_decode(text)
        yield document
        text = text[end:].lstrip()


def essential(value: Any, keep: re.Pattern[str], drop: frozenset[str], directory: str) -> Any:
    """Returns the essential part of JSON: without the dropped members, and of lists of objects those that match."""
    if isinstance(value, dict):
        return {name: essential(part, keep, drop, directory) for name, part in value.items() if name not in drop}
    if isinstance(value, list):
        return [essential(part, keep, drop, directory) for part in value
                if not isinstance(part, dict) or keep.search(json.dumps(part, sort_keys=True))]
    return plain(value, directory) if isinstance(value, str) else value


def difference(expected: Any, found: Any, where: str = "") -> str:
    """Returns the first difference of two essences in words; empty if there is none."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name in sorted(expected.keys() | found.keys()):
            if words := difference(expected.get(name), found.get(name), f"{where}/{name}"):
                return words
        return ""
    if isinstance(expected, list) and isinstance(found, list):
        for number in range(max(len(expected), len(found))):
            parts = [part[number] if number < len(part) else None for part in (expected, found)]
            if words := difference(*parts, f"{where}/{number}"):
                return words
        return ""
    if expected == found:
        return ""
    texts = [json.dumps(part, ensure_ascii=False)[:300] for part in (found, expected)]
    return f"at {where or '/'}: {texts[0]} instead of {texts[1]}"


def explanation(error: str) -> str | None:
    """Returns the sentences of a refusal that names the older program and the next step; None for any other text."""
    said = prose(error)
    return said if all(pattern.search(said) for pattern in EXPLAINED) and not RAW.search(said) else None


def prose(error: str) -> str:
    """Returns the sentences of an error that a client has printed, in text or in JSON."""
    try:
        found = json.loads(error)
    except json.JSONDecodeError:
        return one_line(error).removeprefix("cleat: ")
    return f"{found.get('message', '')}; {found.get('remedy', '')}" if isinstance(found, dict) else one_line(error)


def one_line(text: str) -> str:
    """Returns the lines of a text as one."""
    return " / ".join(line.strip() for line in text.splitlines() if line.strip())

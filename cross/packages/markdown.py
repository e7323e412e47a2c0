"""The part of Markdown that the guides use, as parts of a manual page."""

from __future__ import annotations

import re
from collections.abc import Callable

from .roff import Page, inline


def section(text: str, heading: str) -> str:
    """Returns the text below a heading of the second level, up to the next one."""
    match = re.search(rf"^## {re.escape(heading)}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if not match:
        raise ValueError(f"there is no section {heading!r}")
    return match[1]


def without(text: str, heading: str) -> str:
    """Returns a page without its title and without a section."""
    text = re.sub(r"\A# .*\n", "", text)
    return text.replace(f"## {heading}\n{section(text, heading)}", "")


def convert(page: Page, text: str) -> None:
    """Adds paragraphs, lists, tables, code and headings to a page."""
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
        elif line.startswith("```"):
            end = next(number for number in range(at + 1, len(lines)) if lines[number].startswith("```"))
            page.literal(lines[at + 1:end])
            at = end + 1
        elif match := re.match(r"(##+) (.*)", line):
            if len(match[1]) == 2:
                page.heading(_plain(match[2]))
            else:
                page.subheading(_plain(match[2]))
            at += 1
        elif line.startswith("|"):
            end = _end(lines, at, lambda line: line.startswith("|"))
            _table(page, lines[at:end])
            at = end
        elif line.startswith("* "):
            end = _end(lines, at, lambda line: bool(line.strip()))
            for item in re.split(r"^\* ", "\n".join(lines[at:end]), flags=re.MULTILINE)[1:]:
                page.bullet(_links(" ".join(item.split())))
            at = end
        else:
            end = _end(lines, at, lambda line: bool(line.strip()) and not line.startswith(("```", "|", "* ", "#")))
            page.paragraph(_links(" ".join(one.strip() for one in lines[at:end])))
            at = end


def _end(lines: list[str], start: int, belongs: Callable[[str], bool]) -> int:
    """Returns the number of the first line after a start that does not belong to it."""
    return next((at for at in range(start + 1, len(lines)) if not belongs(lines[at])), len(lines))


def _links(text: str) -> str:
    """Returns a text with links to addresses written out, and only the words of other links."""
    text = re.sub(r"\[([^]]*)\]\((https?://[^)]*)\)", r"\1 (\2)", text)
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)


def _plain(text: str) -> str:
    return _links(text).replace("`", "")


def _cells(line: str) -> list[str]:
    return [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def _table(page: Page, lines: list[str]) -> None:
    """Adds a table as a list: the first cell is the tag; cells of further columns follow with the column's name."""
    heads = _cells(lines[0])
    for line in lines[2:]:
        first, *others = _cells(line)
        tag = inline(_links(first))
        if "\\fB" not in tag:
            tag = f"\\fB{tag}\\fP"
        if len(others) == 1:
            page.item(tag, _links(others[0]))
        else:
            text = "; ".join(f"{head}: {cell}" for head, cell in zip(heads[1:], others) if cell)
            page.item(tag, _links(text))

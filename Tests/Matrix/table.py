"""A table of Markdown: a row for each system, a column for each step."""

from __future__ import annotations


def markdown(first: str, rows: dict[str, dict[str, str]], steps: list[str]) -> list[str]:
    """Returns the lines of the table; `first` is the heading of the first column."""
    lines = [f"| {first} | {' | '.join(steps)} |", "|---" * (len(steps) + 1) + "|"]
    for name, cells in rows.items():
        words = [" ".join(cells[step].replace("|", "\\|").split()) for step in steps]
        lines.append(f"| {name} | {' | '.join(words)} |")
    return lines


def has_failed(rows: dict[str, dict[str, str]]) -> bool:
    """Returns true if a cell of the table has failed."""
    return any(text.startswith("FAILED") for row in rows.values() for text in row.values())

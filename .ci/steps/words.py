"""The words of comments and documents: how doc comments open, and the words of .ci/words.txt, which are refused.

`python3 .ci/steps/words.py` prints each place that breaks a rule, and ends with 1 if there are any.
"""

from __future__ import annotations

import io
import re
import sys
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
#: Each line has a regular expression, a tab, and the words to use instead.
WORDS = REPOSITORY / ".ci/words.txt"
#: The words that open a clause, not a sentence with a verb in the third person or a noun phrase.
OPENING = re.compile(r"(What|Whether|How|Which|Who|Where|When)\b(?!\()")
#: Code and quoted output.
QUOTED = re.compile(r"`[^`]*`|“[^”]*”")
C_LIKE = (".swift", ".c", ".h", ".json5", ".varlink")
SHELL_LIKE = (".service", ".timer", ".sh")
#: Files without a suffix are scripts, if they begin so.
SUFFIXES = ("", ".md", ".py", *C_LIKE, *SHELL_LIKE)
#: The directories and files whose comments and documents are checked, and those of their files that are not.
CHECKED = ("Package.swift", "Sources", "Tests", "Tools", "Examples", "Benchmarks", "docs", "deploy", "cross", ".ci", "README.md",
           "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
SKIPPED = re.compile(r"^(Sources/CleatAPI/Generated|Tests/CommandLineTests/Golden|Tests/Fixtures)/|__pycache__")


@dataclass(frozen=True)
class Line:
    """A line of a comment or a document."""

    number: int
    text: str
    #: True if it is the first line of a doc comment or a docstring.
    opens: bool = False


def comments(name: str, text: str) -> Iterator[Line]:
    """Yields the lines of a file that people read: its comments, or all of a document."""
    suffix = Path(name).suffix
    if suffix == ".md":
        yield from _prose(text)
    elif suffix == ".py" or text.startswith("#!/usr/bin/env python3"):
        yield from _python(text)
    elif suffix in C_LIKE:
        yield from _marked(text, "#" if suffix == ".varlink" else "//", "///")
    elif suffix in SHELL_LIKE or text.startswith("#!"):
        yield from _marked(text, "#", "##")


def _prose(text: str) -> Iterator[Line]:
    fenced = False
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("```"):
            fenced = not fenced
        elif not fenced:
            yield Line(number, line)


def _marked(text: str, mark: str, doc: str) -> Iterator[Line]:
    former = False
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        is_doc = line.startswith(doc)
        if line.startswith(mark) and not line.startswith("#!"):
            yield Line(number, line.lstrip("/# "), is_doc and not former)
        former = is_doc


def _python(text: str) -> Iterator[Line]:
    depth, starts, former = 0, True, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        number = token.start[0]
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            is_doc = token.string.startswith("#:")
            yield Line(number, token.string.lstrip("#: "), is_doc and former != number - 1)
            former = number if is_doc else 0
        elif token.type == tokenize.STRING and starts and not depth:
            for offset, line in enumerate(token.string.strip('"').splitlines()):
                yield Line(number + offset, line.strip(), offset == 0)
        elif token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        starts = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.NL, tokenize.COMMENT) or (
            starts and token.type == tokenize.ENCODING)


def refused(text: str) -> list[tuple[re.Pattern[str], str]]:
    """Reads the refused words and their replacements."""
    rules = []
    for line in text.splitlines():
        if line and not line.startswith("#"):
            pattern, _, instead = line.partition("\t")
            rules.append((re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE), instead.strip()))
    return rules


def problems(name: str, text: str, rules: list[tuple[re.Pattern[str], str]]) -> list[str]:
    """Returns a line for each place of a file that breaks a rule."""
    found = []
    for line in comments(name, text):
        words = QUOTED.sub("“”", line.text)
        if line.opens and (match := OPENING.match(line.text)):
            found.append(f"{name}:{line.number}: a doc comment opens with a verb in the third person or a noun phrase, not "
                         f"with “{match.group()}”")
        for pattern, instead in rules:
            if match := pattern.search(words):
                found.append(f"{name}:{line.number}: “{match.group()}”: {instead}")
    return found


def files() -> list[str]:
    """Returns the names of the files that are checked."""
    found = []
    for root in (REPOSITORY / name for name in CHECKED):
        for path in [root] if root.is_file() else sorted(root.rglob("*")):
            name = str(path.relative_to(REPOSITORY))
            if path.is_file() and path.suffix in SUFFIXES and not SKIPPED.search(name):
                found.append(name)
    return found


def main() -> int:
    """Checks all files."""
    rules = refused(WORDS.read_text(encoding="utf-8"))
    found = [line for name in files()
             for line in problems(name, (REPOSITORY / name).read_text(encoding="utf-8", errors="replace"), rules)]
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

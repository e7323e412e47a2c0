"""The integers of the sources that assume 64 bits: on a 32-bit ARM, `Int` ends at 2,147,483,647.

`python3 .ci/steps/widths.py` prints each place that .ci/widths.txt does not list, and ends with 1 if there are any. A place is
a literal, a shift or a product of literals beyond 32 bits on a line that names no fixed width, a conversion of a number to `Int`
that may be beyond 32 bits by its name, or the size of `Int`.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
SOURCES = REPOSITORY / "Sources"
#: Each line has a file below Sources, a tab, a part of the line or `*` for all lines, a tab, and the reason.
ALLOWED = REPOSITORY / ".ci/widths.txt"
LARGEST = (1 << 31) - 1

#: Comments and texts. What a text interpolates is not checked.
NOT_CODE = re.compile(r'"""(?:.*?)"""|"(?:[^"\\\n]|\\.)*"|//[^\n]*', re.DOTALL)
#: A type of a fixed width, which says what the literals on its line are.
FIXED = re.compile(r"\b(?:U?Int(?:32|64|128)|Double|Duration)\b")
#: An integer; neither a part of a floating-point number nor the name of a member. `0...1` has two.
NUMBER = r"(?<!\w)(?<!\w\.)(?:0x[0-9A-Fa-f_]+|0b[01_]+|0o[0-7_]+|[0-9][0-9_]*)(?!\w|\.\d)"
LITERAL = re.compile(NUMBER)
SHIFT = re.compile(rf"({NUMBER})\s*<<\s*({NUMBER})")
PRODUCT = re.compile(rf"{NUMBER}(?:\s*\*\s*{NUMBER})+")
#: Conversions of what has 64 bits, or 32 bits without a sign, by its name.
CONVERSION = re.compile(
    r"(?<![\w.])Int\((?:[\w.?!]+\.)?(?:st_size|tv_sec|uid|gid|owner|user|group|size|offset|length|inode|sequence|lastSequence|"
    r"seconds|milliseconds|nanoseconds|attoseconds|bytes|generation|time)\)")
SIZE = re.compile(r"\bMemoryLayout<U?Int>|\bU?Int\.bitWidth\b")


def code(text: str) -> list[str]:
    """Returns the lines of Swift without comments and texts, with the same numbers."""
    return NOT_CODE.sub(lambda match: '""' + "\n" * match.group().count("\n"), text).split("\n")


def value(number: str) -> int:
    """Returns the value of an integer literal."""
    digits = number.replace("_", "")
    return int(digits, 0) if digits[:2] in ("0x", "0b", "0o") else int(digits)


def finds(line: str) -> Iterator[tuple[str, str]]:
    """Yields the text of each place in a line of code, and the reason why it assumes 64 bits."""
    if not FIXED.search(line):
        for match in LITERAL.finditer(line):
            if value(match.group()) > LARGEST:
                yield match.group(), "is beyond 32 bits; give its type on the line: Int64, UInt64, UInt32"
        for match in SHIFT.finditer(line):
            if value(match[2]) > 62 or value(match[1]) << value(match[2]) > LARGEST:
                yield match.group(), "is another number in 32 bits; give its type on the line: Int64, UInt64, UInt32"
        for match in PRODUCT.finditer(line):
            product = 1
            for number in LITERAL.findall(match.group()):
                product *= value(number)
            if product > LARGEST:
                yield match.group(), "is beyond 32 bits; give its type on the line: Int64, UInt64"
    for match in CONVERSION.finditer(line):
        yield match.group(), "ends the program if it is beyond 32 bits; use Int64, Int(exactly:) or Int(clamping:)"
    for match in SIZE.finditer(line):
        yield match.group(), "is half as large with 32 bits; name a fixed width"


def allowances(text: str) -> dict[tuple[str, str], str]:
    """Reads the listed places: the reasons by file and part of the line."""
    rows = [line.split("\t") for line in text.splitlines() if line and not line.startswith("#")]
    return {(row[0], row[1]): row[2] for row in rows if len(row) == 3 and row[2].strip()}


def problems(sources: Path, allowed: dict[tuple[str, str], str]) -> list[str]:
    """Returns a line for each place that is not listed, and for each listed one that does not exist."""
    found, used = [], set()
    for path in sorted(sources.rglob("*.swift")):
        name = path.relative_to(sources).as_posix()
        listed = [part for file, part in allowed if file == name]
        for number, line in enumerate(code(path.read_text(encoding="utf-8")), 1):
            for text, why in finds(line):
                parts = [part for part in listed if part == "*" or part in line]
                used |= {(name, part) for part in parts}
                if not parts:
                    found.append(f"{name}:{number}: `{text}` {why}")
    unused = [place for place in allowed if place not in used]
    return found + [f"{file}: .ci/widths.txt lists “{part}”, which is not there" for file, part in unused]


def main() -> int:
    """Checks the sources."""
    found = problems(SOURCES, allowances(ALLOWED.read_text(encoding="utf-8")))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

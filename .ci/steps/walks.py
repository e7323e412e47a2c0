"""The walks through the code in docs/how-it-works.md and the table of docs/patterns.md: each name in them exists.

`python3 .ci/steps/walks.py` prints the names that do not, and ends with 1 if there are any.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENT = REPOSITORY / "docs/how-it-works.md"
#: A table of capabilities; its second column names public API as docs/api lists it.
PATTERNS = REPOSITORY / "docs/patterns.md"
#: A step: the module, the name of the file, a function or type that it declares.
STEP = re.compile(r"`(\w+)/([\w+.]+\.(?:swift|c|h)):(\w+)`")
#: The pattern of a Swift declaration of a name.
SWIFT = r"\b(?:func|struct|class|actor|enum|protocol|extension|typealias|var|let|case)\s+{name}\b"


def declares(path: Path, name: str) -> bool:
    """Returns True if a file declares a function or type; in C, if it defines the function."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".swift":
        return re.search(rf"^\w[\w *]*\b{name}\(", text, re.MULTILINE) is not None
    code = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("//"))
    return re.search(r"\binit[?(<]" if name == "init" else SWIFT.format(name=name), code) is not None


def problems(document: str, sources: Path) -> list[str]:
    """Returns a line for each step that names a file or a function that does not exist."""
    found = []
    for module, file, name in STEP.findall(document):
        paths = sorted((sources / module).rglob(file))
        if not paths:
            found.append(f"`{module}/{file}:{name}`: there is no such file in Sources/{module}")
        elif not any(declares(path, name) for path in paths):
            found.append(f"`{module}/{file}:{name}`: {paths[0].name} does not declare it")
    return found


def missing_api(document: str, lists: Path) -> list[str]:
    """Returns a line for each name in the second column of a table that no list of the public API has."""
    known = {line.split(": ")[0] for path in lists.glob("*.txt") for line in path.read_text(encoding="utf-8").splitlines()}
    columns = [row.split("|")[2] for row in document.splitlines() if row.startswith("|") and row.count("|") == 4]
    names = [name for column in columns for name in re.findall(r"`([^`]+)`", column)]
    return [f"`{name}`: no list in docs/api has it" for name in names if name not in known] or (
        [] if names else ["it names no API"])


def main() -> int:
    """Checks the documents."""
    document = DOCUMENT.read_text(encoding="utf-8")
    walks = problems(document, REPOSITORY / "Sources")
    if not STEP.search(document):
        walks.append("it has no walk")
    api = missing_api(PATTERNS.read_text(encoding="utf-8"), REPOSITORY / "docs/api")
    for path, found in ((DOCUMENT, walks), (PATTERNS, api)):
        for line in found:
            print(f"{path.relative_to(REPOSITORY)}: {line}")
    return 1 if walks or api else 0


if __name__ == "__main__":
    sys.exit(main())

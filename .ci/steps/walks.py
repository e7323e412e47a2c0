"""The walks through the code in docs/how-it-works.md: each step names a function that exists.

`python3 .ci/steps/walks.py` prints the steps that do not, and ends with 1 if there are any.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENT = REPOSITORY / "docs/how-it-works.md"
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


def main() -> int:
    """Checks the document."""
    document = DOCUMENT.read_text(encoding="utf-8")
    found = problems(document, REPOSITORY / "Sources")
    for line in found:
        print(f"docs/how-it-works.md: {line}")
    return 1 if found or not STEP.search(document) else 0


if __name__ == "__main__":
    sys.exit(main())

"""The catalogue of articles, docs/Cleat.docc: its links resolve and its examples compile, as do the links of doc comments.

The catalogue is outside of Sources, so that no target of the package contains it: it describes several modules.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
CATALOGUE = REPOSITORY / "docs/Cleat.docc"
#: The name of the catalogue in the paths of its pages, next to those of the modules.
NAME = "Patterns"
#: The directory of temporary files, if the machine has it: docc flushes each of a thousand pages to the disk.
MEMORY = "/dev/shm"
#: A line of docc that makes the check fail.
PROBLEM = re.compile(r"\b(?:warning|error): ")
#: A block of Swift in an article; each one is a file of its own.
EXAMPLE = re.compile(r"^```swift\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def find_docc() -> str | None:
    """Returns the path of the docc of the present toolchain, or None."""
    swift = shutil.which("swift")
    neighbour = Path(swift).resolve().parent / "docc" if swift else None
    return str(neighbour) if neighbour and neighbour.exists() else shutil.which("docc")


def convert(docc: str, modules: Sequence[str], graphs: Path, catalogue: Path, pages: Path | None) -> list[str]:
    """Builds the pages of modules and of a catalogue; returns the warnings and errors of docc. Without `pages` it keeps none.

    docc takes one module at a time, so each has an archive of its own. A link to another module starts with its name,
    `/MODULE/SYMBOL`, and that module is before the one with the link.
    """
    found: list[str] = []
    with tempfile.TemporaryDirectory(dir=MEMORY if os.access(MEMORY, os.W_OK) else None) as place:
        archives: list[str] = []
        for name in (*modules, NAME):
            archive = f"{place}/{name}.doccarchive"
            words = [str(catalogue)] if name == NAME else ["--additional-symbol-graph-dir", str(graphs / name)]
            words += ["--output-dir", archive, "--enable-experimental-external-link-support", "--ide-console-output"]
            words += ["--fallback-display-name", name, "--fallback-bundle-identifier", f"dev.cleat.{name}"]
            for former in archives:
                words += ["--dependency", former]
            found += _problems([docc, "convert", *words], place)
            if not Path(archive).exists():
                return found
            archives.append(archive)
        if pages is None:
            return found
        shutil.rmtree(pages, ignore_errors=True)
        words = ["--output-path", str(pages), "--synthesized-landing-page-name", "Cleat"]
        return found + _problems([docc, "merge", *archives, *words], place)


def _problems(command: Sequence[str], place: str) -> list[str]:
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
        env={**os.environ, "TMPDIR": place})
    found = [line for line in done.stdout.splitlines() if PROBLEM.search(line)]
    if done.returncode and not found:
        return [f"{command[0]} {command[1]} ended with status {done.returncode}: {done.stdout.strip()}"]
    return found


def examples(catalogue: Path) -> dict[str, str]:
    """Returns the Swift files of the examples, by name; their lines are those of the articles."""
    found = {}
    for article in sorted(catalogue.rglob("*.md")):
        text = article.read_text(encoding="utf-8")
        for number, match in enumerate(EXAMPLE.finditer(text), 1):
            line = text.count("\n", 0, match.start()) + 2
            location = f'#sourceLocation(file: "{article}", line: {line})'
            found[f"{article.stem}{number}.swift"] = f"{location}\n{match.group(1)}"
    return found


def compile_errors(files: dict[str, str], flags: Sequence[str]) -> list[str]:
    """Returns the lines of the compiler about files of one module; none if it accepts them without a warning."""
    with tempfile.TemporaryDirectory() as text:
        for name, code in files.items():
            Path(text, name).write_text(code, encoding="utf-8")
        command = ["swiftc", "-typecheck", "-parse-as-library", "-swift-version", "6", "-warnings-as-errors"]
        command += ["-enable-upcoming-feature", "MemberImportVisibility", *flags, *sorted(str(Path(text, name)) for name in files)]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout.splitlines() if done.returncode else []

"""A copy of the package's tree, with the start of a static test program in it."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

#: The files that the build reads.
_BUILT = ("Package.swift", "Package.resolved", "Sources", "Tests", "Tools", "Examples")
#: Python files of the tests of tests, and fuzz targets, are not part of a build.
_SKIPPED = ("Tests/Fuzz", "Tests/OnTarget", "Tests/Cross")
#: The files that tests open at run time, by their place in the package; `TestPlaces.package` finds it on the target.
_READ = (
    "Tests/CommandLineTests/Golden", "Tests/CleatVarlinkTests/varlink_peer.py", "Tests/SystemTests/varlink_peer.py",
    "Tests/SystemTests/terminal.py", "Tests/SystemTests/nmea.py", "Tests/SystemTests/without_calls.py", "deploy", "docs/settings-reference.md",
    "docs/templates.md", "Examples", "Tests/Fixtures/adapter.py")
#: The trait, in the source of a test, that has it run on boards.
_TAGGED = ".tags(.board"
#: The names of the types that a file declares, and of those that it extends.
_DECLARED = re.compile(r"^(?:\S+(?:\(.*\))? )*(?:struct|class|enum|actor) (\w+)", re.MULTILINE)
_WORD = re.compile(r"\b[A-Z]\w+\b")
_EXTENDED = re.compile(r"^(?:\w+ )?extension (\w+)", re.MULTILINE)
_MAIN = Path("Tests/LinuxMain.swift")
_MANIFEST = Path("Package.swift")
#: The end of the manifest: what is tested is optimised, each module as a whole, and the tests themselves are
#: not. To optimise them takes longer than it makes them faster on a board.
_OPTIMISED = """
for target in package.targets where target.type != .system && !["CLinux", "CTestKernel"].contains(target.name) {
    let flags = target.type == .test ? ["-Onone", "-no-whole-module-optimization", "-enable-batch-mode"] : ["-Osize"]
    target.swiftSettings = (target.swiftSettings ?? []) + [.unsafeFlags(flags)]
}
"""
#: The service of the tests has crash points in the middle of a change; the released one is another build.
_CRASHING = """
for target in package.targets where target.name == "CleatAdapters" {
    target.swiftSettings = (target.swiftSettings ?? []) + [.define("CLEAT_CRASH_POINTS")]
}
"""


def board_modules(package: Path) -> list[str]:
    """Returns the test targets that have tests with the tag of boards, by name."""
    return sorted(
        directory.name for directory in (package / "Tests").glob("*Tests")
        if any(_TAGGED in path.read_text(encoding="utf-8") for path in directory.rglob("*.swift")))


def other_tests(package: Path) -> set[Path]:
    """Returns the files of the modules for boards whose tests are not for boards, relative to the package.

    A file without tests may have what others use. A file that extends a type of a file for boards may have tests of its
    suite, whose tag counts for them; and a file for boards may use the types of another one.
    """
    others: set[Path] = set()
    for module in board_modules(package):
        texts = {path: path.read_text(encoding="utf-8") for path in (package / "Tests" / module).rglob("*.swift")}
        left = {path for path, text in texts.items() if "@Test" in text and _TAGGED not in text}
        count = -1
        while count != len(left):
            count = len(left)
            types = {name for path in texts.keys() - left for name in _DECLARED.findall(texts[path])}
            words = {word for path in texts.keys() - left for word in _WORD.findall(texts[path])}
            left = {path for path in left if types.isdisjoint(_EXTENDED.findall(texts[path]))
                    and words.isdisjoint(_DECLARED.findall(texts[path]))}
        others |= {path.relative_to(package) for path in left}
    return others


def copy_sources(package: Path, tree: Path, *, everything: bool = False) -> None:
    """Makes `tree` a copy of the package's sources, without tests that are not for boards unless `everything` is set;
    unchanged files are not written, so that they are not compiled again."""
    left_out = set() if everything else other_tests(package)
    wanted = {path.relative_to(package): path for path in _files(package, _BUILT)}
    wanted = {
        place: path for place, path in wanted.items()
        if not any(place.is_relative_to(skipped) for skipped in _SKIPPED) and "__pycache__" not in place.parts
        and place not in left_out}
    wanted[_MAIN] = Path(__file__).with_name("LinuxMain.swift")
    for place, source in wanted.items():
        content = source.read_bytes()
        if place == _MANIFEST:
            content += (_OPTIMISED + _CRASHING).encode()
        copy = tree / place
        if copy.is_file() and copy.read_bytes() == content:
            continue
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(content)
    for left in _files(tree, _BUILT):
        if left.relative_to(tree) not in wanted:
            left.unlink()


def copy_read(package: Path, destination: Path) -> None:
    """Copies what the tests read of the package at run time."""
    for source in _files(package, _READ):
        copy = destination / source.relative_to(package)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, copy)
        copy.chmod(0o755 if source.stat().st_mode & 0o111 else 0o644)


def _files(root: Path, places: tuple[str, ...]) -> Iterator[Path]:
    for place in places:
        path = root / place
        if path.is_file():
            yield path
        elif path.is_dir():
            yield from (file for file in sorted(path.rglob("*")) if file.is_file())

"""The symbol graphs of the library products: the public symbols with their documentation, from the built modules.

`.ci/api` lists them, and `.ci/docs` resolves the links of the documentation with them.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
#: The modules that a program imports by a product, or that such a module exports; each after those that it imports.
MODULES = (
    "CleatJSON", "CleatSettings", "CleatSandbox", "CleatFiles", "CleatViews", "Cleat", "CleatEmbedded", "CleatFoundation")


def build_directory() -> Path:
    """Returns the directory of the build's products."""
    shown = subprocess.run(["swift", "build", "--show-bin-path"], cwd=REPOSITORY, check=True, capture_output=True)
    return Path(shown.stdout.decode().strip())


def import_flags(build: Path) -> list[str]:
    """Returns the options with which a tool of the compiler imports the built modules."""
    # The C modules that the Swift modules import without showing them.
    maps = [build / "CLinux.build" / "module.modulemap", REPOSITORY / "Sources/CSQLite/module.modulemap"]
    maps += (REPOSITORY / ".build" / "checkouts").glob("swift-system/Sources/CSystem/include/module.modulemap")
    target = json.loads(subprocess.run(["swift", "-print-target-info"], check=True, capture_output=True).stdout)
    flags = ["-target", target["target"]["triple"], "-I", str(build / "Modules")]
    for path in maps:
        flags += ["-Xcc", f"-fmodule-map-file={path}"]
    return flags


def graphs(modules: Iterable[str], build: Path) -> Path:
    """Extracts the symbol graphs of modules that are newer than their last graphs.

    Returns the directory, which has a directory for each module: its own symbols, and those that it adds to types of
    other modules.
    """
    place = build / "symbols"
    stale = [module for module in modules if not is_current(module, build, place)]
    if stale:
        flags = import_flags(build)
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda module: _extract(module, place / module, flags), stale))
    return place


def is_current(module: str, build: Path, place: Path) -> bool:
    """Returns True if the graphs of a module are newer than the module and than this file."""
    graph = place / module / f"{module}.symbols.json"
    # The symbols, and their doc comments in a file of its own.
    sources = [*(build / "Modules").glob(f"{module}.swift*"), Path(__file__)]
    return graph.exists() and graph.stat().st_mtime_ns > max(path.stat().st_mtime_ns for path in sources)


def _extract(module: str, place: Path, flags: list[str]) -> None:
    place.mkdir(parents=True, exist_ok=True)
    for former in place.iterdir():
        former.unlink()
    command = ["swift", "symbolgraph-extract", "-module-name", module, *flags, "-output-dir", str(place)]
    # Without the blocks docc omits the symbols that a module adds to types of other modules.
    command += ["-minimum-access-level", "public", "-skip-synthesized-members", "-emit-extension-block-symbols"]
    subprocess.run(command, check=True)

"""Programs without a function, and packages of them."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import Any

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(REPOSITORY / "cross"), str(Path(__file__).resolve().parent)]

from elf_files import write_elf  # noqa: E402
from packages.inputs import DEBIAN  # noqa: E402
from toolchain.budget import PRODUCTS  # noqa: E402

#: The architecture whose package dpkg accepts here.
ARCH = platform.machine() if platform.machine() in DEBIAN else "x86_64"
EPOCH = "1700000000"

DAEMON = """Runs the agent.

usage: cleatd [options]
       cleatd connect [--socket PATH]

  --state DIR        the store's directory         (root: /var/lib/cleat)
  --help             print this

connect joins input and output.

Signals: SIGHUP reloads.
"""
SCRIPT = """#!/bin/sh
case "$1" in
--version) echo "{name} {version}" ;;
--experimental-dump-help) cat "$0.json" ;;
completions) [ "$2" != bash ] || echo '#!/bin/bash'; echo "# completions for $2" ;;
*) cat "$0.help" ;;
esac
"""


def option(name: str, abstract: str, kind: str = "option", **others: Any) -> dict[str, Any]:
    """Returns an argument as the dumped help has it."""
    return {"abstract": abstract, "kind": kind, "names": [{"kind": "long", "name": name}], "isOptional": True,
            "isRepeating": False, "shouldDisplay": True, "valueName": name, **others}


def command(name: str, abstract: str, discussion: str = "", arguments: list[dict[str, Any]] | None = None,
            subcommands: list[dict[str, Any]] | None = None) -> dict[str, Any]:
    """Returns a command as the dumped help has it."""
    return {"commandName": name, "abstract": abstract, "discussion": discussion, "shouldDisplay": True,
            "arguments": arguments or [], "subcommands": subcommands or []}


#: Texts with the characters that roff takes as its own.
TREE = command(
    "cleat", "Change 'settings' of a board.",
    "First.\n\n.TH is not a request.\n\nExamples:\n  cleat set a=\"\\n\" ~ ^ `x`\n  'b\n\nExit status: 0 done.",
    [option("version", "Print it.", "flag")], [
        command("set", "Change settings.", "'Quoted' — with --id, and `cleat get`.", [
            option("id", "The id.", allValues=["a", "b"], defaultValue="a"),
            {"kind": "positional", "valueName": "path=value", "isOptional": True, "isRepeating": True,
             "abstract": "A setting."}]),
        command("file", "Files.", "", [], [command("ls", "List.", "", [option("long", "More.", "flag")])]),
        command("help", "Print help.")])


def write_programs(directory: Path, version: str = "0.1.0") -> Path:
    """Writes scripts that print help and completions as the programs do."""
    directory.mkdir(parents=True, exist_ok=True)
    trees = {"cleat": TREE, "cleat-location": command("cleat-location", "Publish the location.", "It moves.")}
    for name in PRODUCTS:
        (directory / name).write_text(SCRIPT.format(name=name, version=version))
        (directory / name).chmod(0o755)
        (directory / f"{name}.json").write_text(json.dumps({"command": trees.get(name, {})}))
        (directory / f"{name}.help").write_text(DAEMON if name == "cleatd" else f"OVERVIEW: x\n\nUSAGE: {name} [<options>]\n\n")
    return directory


def write_elves(directory: Path) -> Path:
    """Writes a static program of each name for each architecture."""
    for arch in DEBIAN:
        (directory / arch).mkdir(parents=True, exist_ok=True)
        for name in PRODUCTS:
            write_elf(directory / arch / name, arch, filling=name.encode())
            (directory / arch / name).chmod(0o755)
    return directory


def package(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs `cross/package`."""
    return subprocess.run(
        [str(REPOSITORY / "cross/package"), *words], capture_output=True, text=True, timeout=600, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": EPOCH, **environment})


def make_packages(base: Path, output: Path, *words: str, archs: tuple[str, ...] = (ARCH,)) -> Path:
    """Makes packages of programs without a function below a directory, and returns the directory of the packages."""
    answer = package(
        *archs, "--programs", str(write_elves(base / "programs")), "--texts-from", str(write_programs(base / "texts")),
        "--output", str(output), *words)
    if answer.returncode:
        raise AssertionError(answer.stderr)
    return output


def listed(root: Path) -> set[str]:
    """Returns all paths below a root, without those that dpkg writes for itself."""
    skipped = ("var/lib/dpkg", "var/log", "var/cache")
    names = {path.relative_to(root).as_posix() for path in root.rglob("*")}
    return {name for name in names if not name.startswith(skipped) and not name.startswith("etc/.pwd")}

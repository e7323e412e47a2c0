"""Help texts and completions, as the packaged programs print them."""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolchain.budget import PRODUCTS
from toolchain.failure import MISSING, Failure, say
from toolchain.sdk import REPOSITORY

SHELLS = ("bash", "zsh", "fish")


@dataclass(frozen=True)
class Command:
    """A command with its texts, as its help has them."""

    name: tuple[str, ...]
    abstract: str
    discussion: str
    usage: str
    arguments: list[dict[str, Any]]
    subcommands: list[Command]


@dataclass(frozen=True)
class Texts:
    """All texts that the packages take from the programs."""

    cleat: Command
    location: Command
    #: The help of `cleatd` as it prints it.
    daemon: str
    completions: dict[str, bytes]


@dataclass(frozen=True)
class Programs:
    """Programs that run on this machine, through an emulator if need be."""

    directory: Path
    emulator: tuple[str, ...] = ()

    def run(self, product: str, *words: str) -> bytes:
        """Returns what a program prints."""
        try:
            answer = subprocess.run(
                [*self.emulator, str(self.directory / product), *words], capture_output=True, check=False,
                stdin=subprocess.DEVNULL, timeout=120, env={
                    "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LC_ALL": "C.UTF-8", "COLUMNS": "80",
                    "HOME": "/nonexistent"})
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Failure(f"{product} does not run: {error}") from error
        if answer.returncode:
            raise Failure(f"{product} {' '.join(words)} failed: {answer.stderr.decode(errors='replace').strip()[:400]}")
        return answer.stdout


class StaleError(Failure):
    """Programs that would be packed are of another version."""


def find_texts(version: str, given: Path | None, candidates: dict[str, Path]) -> Texts:
    """Returns the texts of the programs in the given directory, or of the first of the candidates (by architecture) that
    run here and have the version; the debug build of this machine is the last one."""
    tried = []
    for programs in [Programs(given)] if given else _choices(candidates):
        try:
            found = programs.run("cleat", "--version").decode(errors="replace").split()
            if not given and (not found or found[-1] != version):
                if programs.directory in candidates.values():
                    raise StaleError(
                        f"{programs.directory} has {' '.join(found)}, but the packages would have version {version}",
                        then="build the programs again (cross/build), or give those for help and completions: --texts-from")
                raise Failure(f"its version is {' '.join(found)}, not {version}")
            texts = _read(programs)
        except StaleError:
            raise
        except Failure as failure:
            tried.append(f"{programs.directory}: {failure}")
            continue
        say(f"help and completions are those of {programs.directory}")
        return texts
    raise Failure(
        "\n  ".join(["no programs print their help on this machine:", *tried]), status=MISSING,
        then="build them for this machine (swift build), or install qemu-user-static")


def _choices(candidates: dict[str, Path]) -> list[Programs]:
    found = []
    for arch in sorted(candidates, key=lambda arch: arch != platform.machine()):
        if arch == platform.machine():
            found.append(Programs(candidates[arch]))
        elif emulator := shutil.which(f"qemu-{arch}-static") or shutil.which(f"qemu-{arch}"):
            found.append(Programs(candidates[arch], (emulator,)))
    debug = REPOSITORY / ".build/debug"
    return [one for one in [*found, Programs(debug)] if all((one.directory / product).is_file() for product in PRODUCTS)]


def _read(programs: Programs) -> Texts:
    return Texts(
        _command(programs, "cleat", _dump(programs, "cleat")),
        _command(programs, "cleat-location", _dump(programs, "cleat-location")),
        programs.run("cleatd", "--help").decode(),
        {shell: _completions(programs, shell) for shell in SHELLS})


def _completions(programs: Programs, shell: str) -> bytes:
    script = programs.run("cleat", "completions", shell)
    # A completion for bash is read by the shell, and is not a program: it has no interpreter.
    return re.sub(rb"\A#!.*\n", b"", script) if shell == "bash" else script


def _dump(programs: Programs, product: str) -> dict[str, Any]:
    try:
        dump: dict[str, Any] = json.loads(programs.run(product, "--experimental-dump-help"))["command"]
    except (ValueError, KeyError) as error:
        raise Failure(f"{product} --experimental-dump-help prints no command tree") from error
    return dump


def _command(programs: Programs, product: str, dump: dict[str, Any], above: tuple[str, ...] = ()) -> Command:
    name = (*above, dump["commandName"])
    help_text = programs.run(product, *name[1:], "--help").decode()
    return Command(
        name, dump.get("abstract") or "", dump.get("discussion") or "", _usage(help_text),
        [one for one in dump.get("arguments") or [] if one.get("shouldDisplay", True)],
        [_command(programs, product, one, name) for one in dump.get("subcommands") or []
         if one.get("shouldDisplay", True) and one["commandName"] != "help"])


def _usage(text: str) -> str:
    """Returns the usage of a help text as one line."""
    words: list[str] = []
    for line in text.splitlines():
        if line.startswith("USAGE: "):
            words += line.removeprefix("USAGE: ").split()
        elif words and line.strip():
            words += line.split()
        elif words:
            break
    return " ".join(words)

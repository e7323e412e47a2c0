"""The two releases of the table of versions: the programs of 0.1.0, built from a commit of this repository, and the present ones.

Both print the version 0.1.0. The pinned commit is the last one before `cleat emit` extended the wire. The files of
Tests/Fixtures/0.1.0, which all later releases must read, are of its store and its wire; those of earlier commits differ.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "cross"))

from toolchain.failure import Failure  # noqa: E402

#: The commit of the older release.
PINNED = "ea4462fab2504d02b3ef3512646cd117498cbf35"
OLDER = "0.1.0"
PRESENT = "present"
PRODUCTS = ("cleatd", "cleat")
#: A line of the list of subcommands in a help text: its continuation lines begin further to the right.
SUBCOMMAND = re.compile(r"^  ([a-z][a-z-]*)  ", re.MULTILINE)


@dataclass(frozen=True)
class Release:
    """The programs of one release."""

    name: str
    directory: Path

    @property
    def cleat(self) -> Path:
        """The client."""
        return self.directory / "cleat"

    @property
    def cleatd(self) -> Path:
        """The service."""
        return self.directory / "cleatd"

    def verbs(self) -> list[str]:
        """Returns the verbs of the client's own help, those of a group with their group: `file put`."""
        verbs = []
        for verb in self._subcommands():
            parts = self._subcommands(verb)
            verbs += [f"{verb} {part}" for part in parts] or [verb]
        return verbs

    def _subcommands(self, *words: str) -> list[str]:
        text = _output(self.cleat, "help", *words)
        _, _, listed = text.partition("SUBCOMMANDS:\n")
        if not listed and not words:
            raise Failure(f"`{self.cleat} help` lists no subcommands")
        return SUBCOMMAND.findall(listed)


def older(commit: str = PINNED) -> Release:
    """Returns the older release; its programs are built once, in a checkout below .build."""
    directory = REPOSITORY / ".build/versions" / commit[:12]
    if not (directory / ".git").is_dir():
        directory.parent.mkdir(parents=True, exist_ok=True)
        _run("git", "clone", "--quiet", "--shared", "--no-checkout", str(REPOSITORY), str(directory))
    _run("git", "-C", str(directory), "checkout", "--quiet", "--detach", commit)
    return build(OLDER, directory, "-debug-info-format", "none")


def build(name: str, package: Path, *more: str) -> Release:
    """Builds the programs of a package for this machine."""
    options = ("--package-path", str(package), *more)
    for product in PRODUCTS:
        print(f"versions: {name}: build {product}", file=sys.stderr, flush=True)
        _run("swift", "build", *options, "--product", product)
    return Release(name, Path(_output("swift", "build", *options, "--show-bin-path").strip()))


def _run(*words: str) -> None:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=sys.stderr, check=False)
    if done.returncode != 0:
        raise Failure(f"`{' '.join(words)}` ended with {done.returncode}")


def _output(*words: str | Path) -> str:
    done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise Failure(f"`{' '.join(map(str, words))}` ended with {done.returncode}: {done.stderr.strip()[-800:]}")
    return done.stdout

"""Sees that two builds of the same source, in two places, are the same byte by byte."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

from .binaries import Build, place
from .budget import PRODUCTS
from .cache import file_digest
from .compiler import Compiler
from .failure import Failure, say
from .sdk import REPOSITORY, SDK
from .sysroot import Sysroot


def compare(arch: str, compiler: Compiler, sdk: SDK, sysroot: Sysroot) -> None:
    """Copies the tree to two directories of different length, builds in both, compares binaries and symbols."""
    digests: list[dict[str, str]] = []
    with tempfile.TemporaryDirectory(prefix="cleat-") as base:
        for name in ("a", "a-second-and-longer-name/below"):
            tree = Path(base) / name / "cleat"
            copy_tree(REPOSITORY, tree)
            build = Build(arch, tree, tree / ".build-cross" / arch / "release", compiler, sdk, sysroot)
            place(build, build.run(), tree.parent / "out")
            digests.append({
                made: file_digest(tree.parent / "out" / made)
                for product in PRODUCTS for made in (product, f"{product}.debug")})
    different = [made for made, digest in digests[0].items() if digests[1][made] != digest]
    if different:
        raise Failure(f"two builds differ in {', '.join(different)}")
    for made, digest in digests[0].items():
        print(f"{digest}  {made}")
    say(f"two builds for {arch} in different directories are byte-identical")


def copy_tree(source: Path, target: Path) -> None:
    """Copies what git knows of, changed or not, and the versions of the dependencies that were resolved."""
    answer = subprocess.run(
        ["git", "-C", str(source), "ls-files", "-z", "--cached", "--others", "--exclude-standard"], capture_output=True,
        check=False, stdin=subprocess.DEVNULL)
    if answer.returncode:
        raise Failure(f"git cannot list {source}: {answer.stderr.decode(errors='replace').strip()}")
    names = [name.decode() for name in answer.stdout.split(b"\0") if name]
    for name in [*names, "Package.resolved"]:
        if (source / name).is_file():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, target / name)

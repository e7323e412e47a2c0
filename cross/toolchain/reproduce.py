"""Checks that two builds of the same source, in two places, are the same byte by byte."""

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


def compare(output: Path, arch: str, compiler: Compiler, sdk: SDK, sysroot: Sysroot) -> None:
    """Builds a copy of the tree in another directory and compares its binaries and symbols with those in `output`."""
    with tempfile.TemporaryDirectory(prefix="cleat-") as base:
        tree = Path(base) / "another-and-longer-name/below/cleat"
        copy_tree(REPOSITORY, tree)
        build = Build(arch, tree, tree / ".build-cross" / arch / "release", compiler, sdk, sysroot)
        place(build, build.run(), tree.parent / "out")
        made = [name for product in PRODUCTS for name in (product, f"{product}.debug")]
        digests = {name: file_digest(tree.parent / "out" / name) for name in made}
    different = [name for name in made if file_digest(output / name) != digests[name]]
    if different:
        raise Failure(f"two builds differ in {', '.join(different)}")
    for name, digest in digests.items():
        print(f"{digest}  {name}")
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

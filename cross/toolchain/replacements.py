"""The replacements, in binaries for a board, for unused parts of the runtime libraries."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from . import children
from .compiler import Compiler
from .failure import Failure

SOURCES = Path(__file__).parent / "link"
#: Functions that `link/unused.c` replaces, each with the symbol that must not be called then.
REPLACED: dict[str, str] = {
    "_swift_stdlib_getScalarName": "$ss7UnicodeO6ScalarV10PropertiesV4nameSSSgvg",
    "__cxa_demangle": "__cxa_demangle",
}
#: Functions of musl that `link/maps.c` wraps.
WRAPPED = ("__mmap", "munmap", "__libc_free")
#: The C files of `link`, and how each is optimised: most for size, and what all work goes through for time.
OBJECTS = {"unused": "-Os", "maps": "-Os", "memory": "-O2"}


@dataclass(frozen=True)
class Replacements:
    """The directory of the compiled replacements, for programs with musl or with another C library."""

    path: Path
    musl: bool = True

    @property
    def swift_flags(self) -> list[str]:
        """swiftc's flags with which a small module replaces FoundationEssentials."""
        return [] if whole_foundation() else ["-I", str(self.path)]

    @property
    def link_flags(self) -> list[str]:
        """The linker's flags that remove unwind tables and the tables of unused functions, keep small mappings of the
        allocator, and replace the copies and comparisons of bytes."""
        wraps = [f"--wrap={name}" for name in (*REPLACED, *WRAPPED)]
        # Other C libraries have functions for each kind of processor.
        objects = [str(self.path / f"{name}.o") for name in OBJECTS if self.musl or name != "memory"]
        return ["--no-eh-frame-hdr", "-T", str(self.path / "sections.ld"), *wraps, f"-L{self.path}", *objects]


def whole_foundation() -> bool:
    """True if the user wants FoundationEssentials itself."""
    return os.environ.get("CLEAT_WHOLE_FOUNDATION", "0") not in ("", "0")


def recipe() -> str:
    """Returns all sources of the replacements."""
    files = [Path(__file__), *sorted(SOURCES.iterdir())]
    return "".join(path.read_text(encoding="utf-8") for path in files)


def compile_replacements(compiler: Compiler, clang: list[str], swift: list[str], target: Path) -> None:
    """Compiles the replacements with these commands into a directory."""
    target.mkdir(parents=True, exist_ok=True)
    (target / "sections.ld").write_bytes((SOURCES / "sections.ld").read_bytes())
    module = target / "FoundationEssentials.swiftmodule"
    for name, level in OBJECTS.items():
        run([*clang, "-c", level, "-ffunction-sections", "-ffreestanding", f"{name}.c", "-o", str(target / f"{name}.o")], SOURCES)
    run(
        [*swift, "-Osize", "-wmo", "-parse-as-library", "-static", "-Xfrontend", "-function-sections", "-module-name",
         "FoundationEssentials", "-module-link-name", "cleatessentials", "-emit-module", "-emit-module-path", str(module),
         "-c", "FoundationEssentials.swift", "-o", str(target / "essentials.o")], SOURCES)
    # The module's hash serves incremental builds, and depends on the directory that was built in.
    run([compiler.tool("llvm-objcopy"), "--remove-section=.swift_modhash", str(target / "essentials.o")], SOURCES)
    run([compiler.tool("llvm-ar"), "rcsD", str(target / "libcleatessentials.a"), str(target / "essentials.o")], SOURCES)
    (target / "essentials.o").unlink()


def run(command: list[str], directory: Path, failed: str = "the replacements in cross/toolchain/link could not be compiled") -> None:
    """Runs a compiler; raises an error with its output if it fails."""
    answer = children.run(command, cwd=directory, capture=True, text=True, seconds=1200)
    if answer.returncode:
        raise Failure(f"{failed}:\n{answer.stderr[-1500:]}")

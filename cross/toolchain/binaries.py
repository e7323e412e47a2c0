"""Builds the static binaries and splits their symbols off."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from . import children, flags
from .budget import PRODUCTS
from .cache import locked
from .compiler import Compiler
from .failure import Failure, say
from .order import require_order
from .replacements import REPLACED, WRAPPED
from .sdk import SDK, triple
from .sysroot import Sysroot


@dataclass(frozen=True)
class Build:
    """One build of the package for an architecture, in a scratch directory of its own."""

    arch: str
    source: Path
    scratch: Path
    compiler: Compiler
    sdk: SDK
    sysroot: Sysroot
    debug: bool = False
    #: "1" to leave out the names of members, which tests print and which a board has no use for.
    lean: str = "1"

    def flags(self) -> list[str]:
        """Returns SwiftPM's flags, without directories of this machine in what they make."""
        if self.debug:
            return flags.swiftpm([], [], ["-z", f"stack-size={flags.STACK}"])
        scratch = {} if self.scratch.is_relative_to(self.source) else {str(self.scratch): "/build"}
        swift, c = flags.prefix_maps({
            **scratch, str(self.source): "/cleat", str(self.sdk.path): "/sdk",
            str(self.sdk.bundle.resolve().parent): "/sdk", **self._linked, str(self.sysroot.path): "/sysroot",
            str(self.compiler.bin.parent.parent): "/swift",
        })
        replacements = self.sysroot.replacements
        return [*(flags.LTO if self.arch in flags.AT_LINK_TIME else []), *flags.swiftpm(
            flags.swift_size() + replacements.swift_flags + swift, flags.c_size() + c,
            flags.link_size() + replacements.link_flags)]

    @property
    def _linked(self) -> dict[str, str]:
        """The directory of the bundle that the SDK's headers are links into."""
        root = self.sdk.root(self.arch)
        return {str(root.resolve()): f"/sdk/{root.relative_to(self.sdk.path)}"}

    def command(self) -> list[str]:
        """Returns the SwiftPM command without what is to be built."""
        return [
            "swift", "build", "--package-path", str(self.source), "-c", "debug" if self.debug else "release",
            "--disable-default-traits", "--swift-sdks-path", str(self.sdk.path), "--swift-sdk", triple(self.arch),
            "--scratch-path", str(self.scratch), "--toolset", str(self.sysroot.toolset), *self.flags()]

    def environment(self) -> dict[str, str]:
        """Returns an environment in which the build does not depend on this machine.

        The symbols name the files of macro expansions, which the compiler has below TMPDIR: there they are below the
        scratch directory, whose name prefix maps take out.
        """
        return {
            **os.environ, "LC_ALL": "C.UTF-8", "TZ": "UTC", "SOURCE_DATE_EPOCH": "0", "TMPDIR": str(self._temporary),
            "PKG_CONFIG_PATH": str(self.sysroot.packages), "CLEAT_LEAN": "0" if self.debug else self.lean}

    def run(self) -> Path:
        """Builds the products and returns the directory that they are in, unstripped."""
        with locked(self.scratch.parent / f".{self.scratch.name}.lock"):
            self._forget_other_sdk()
            for product in PRODUCTS:
                # SwiftPM does not know that the linker reads the order of functions.
                program = self.products / product
                if program.is_file() and program.stat().st_mtime < flags.ORDER.stat().st_mtime:
                    program.unlink()
                say(f"building {product} for {triple(self.arch)}")
                self._swift(["--product", product])
            if not self.debug:
                require_unused(self.products, self.compiler)
                require_wrapped(self.products, self.compiler)
                require_order(self.products, self.compiler)
        return self.products

    @property
    def products(self) -> Path:
        """The directory that SwiftPM puts its products into."""
        return self.scratch / triple(self.arch) / ("debug" if self.debug else "release")

    @property
    def _temporary(self) -> Path:
        """The directory of the compilers' temporary files."""
        return self.scratch / "temporary"

    def _swift(self, words: list[str]) -> None:
        # What compilers that were killed have left goes with the next build.
        shutil.rmtree(self._temporary, ignore_errors=True)
        self._temporary.mkdir(parents=True)
        lines: list[str] = []
        child = children.start(
            [*self.command(), *words], group=True, env=self.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
        assert child.stdout is not None
        try:
            # Line by line as it comes: a build that makes progress is not taken for one that hangs.
            for line in child.stdout:
                lines.append(line.rstrip("\n"))
                print(lines[-1], file=sys.stderr, flush=True)
            status = child.wait()
        except BaseException:
            children.stop(child)
            raise
        finally:
            child.stdout.close()
        if status:
            lines = [line for line in lines if "error" in line] or lines[-20:]
            raise Failure("\n  ".join(["swift build failed:", *lines[:30]]))

    def _forget_other_sdk(self) -> None:
        """Clears the scratch directory when it was made with another SDK or compiler: SwiftPM would mix the two."""
        mark = self.scratch / "cleat-sdk"
        key = f"{self.compiler.tag} {self.sdk.key}\n"
        if self.scratch.is_dir() and (not mark.is_file() or mark.read_text(encoding="utf-8") != key):
            for name in (triple(self.arch), "release", "debug", "release.yaml", "debug.yaml", "plugins", "build.db"):
                entry = self.scratch / name
                if entry.is_symlink() or entry.is_file():
                    entry.unlink()
                elif entry.is_dir():
                    shutil.rmtree(entry)
        self.scratch.mkdir(parents=True, exist_ok=True)
        mark.write_text(key, encoding="utf-8")


def require_unused(products: Path, compiler: Compiler) -> None:
    """Checks that no module of the package calls a replaced function.

    It reads the compiled files before they are linked: objects, which hold bitcode if the linker optimises them, and
    Swift's modules of bitcode (.bc).
    """
    compiled = sorted(str(path) for kind in ("bc", "o") for path in products.glob(f"*.build/**/*.{kind}"))
    if not compiled:
        raise Failure(f"no compiled files are in {products}, so the calls are unknown")
    answer = subprocess.run(
        [compiler.tool("llvm-nm"), "--undefined-only", "--just-symbol-name", "--print-file-name", *compiled],
        capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=300)
    if answer.returncode:
        raise Failure(f"llvm-nm cannot read the compiled files: {answer.stderr.strip()[:400]}")
    for line in answer.stdout.splitlines():
        path, _, symbol = line.rpartition(" ")
        if symbol in REPLACED.values():
            raise Failure(
                f"{path.rstrip(':')} uses {symbol}, whose tables are not in binaries for a board",
                then="do not use it, or remove it from REPLACED in cross/toolchain/replacements.py")


#: The functions of musl's allocator that map and unmap memory.
ALLOCATOR = ("free", "__libc_free", "__libc_malloc_impl", "alloc_slot")


def require_wrapped(products: Path, compiler: Compiler) -> None:
    """Checks that the allocator of each program keeps its mappings (`link/maps.c`): that musl calls what is wrapped."""
    for product in PRODUCTS:
        answer = subprocess.run(
            [compiler.tool("llvm-objdump"), f"--disassemble-symbols={','.join(ALLOCATOR)}", str(products / product)],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=300)
        for name in WRAPPED:
            if not re.search(rf"<__wrap_{name}>$", answer.stdout, re.MULTILINE):
                raise Failure(
                    f"no code of {products / product} calls __wrap_{name}, so its allocator maps and unmaps memory at each answer",
                    then="see which functions the allocator of this SDK's libc.a calls, and name those in WRAPPED in "
                         "cross/toolchain/replacements.py and in cross/toolchain/link/maps.c")


def place(build: Build, built: Path, output: Path) -> None:
    """Puts the binaries into a directory: stripped, with the symbols in files of their own, or unchanged after a debug build."""
    output.mkdir(parents=True, exist_ok=True)
    objcopy = build.compiler.tool("llvm-objcopy")
    with locked(output / ".lock"), tempfile.TemporaryDirectory(prefix=".new-", dir=output) as directory:
        work = Path(directory)
        for product in PRODUCTS:
            if build.debug:
                shutil.copy2(built / product, work / product)
                continue
            shutil.copyfile(built / product, work / f"{product}.whole")
            _objcopy([objcopy, "--only-keep-debug", f"{product}.whole", f"{product}.debug"], work)
            _objcopy(
                [objcopy, "--strip-all", "--remove-section=.comment", f"--add-gnu-debuglink={product}.debug",
                 f"{product}.whole", product], work)
            (work / product).chmod(0o755)
            (work / f"{product}.debug").chmod(0o644)
            (work / f"{product}.whole").unlink()
        for product in PRODUCTS:
            (output / f"{product}.debug").unlink(missing_ok=True)
        for made in sorted(work.iterdir()):
            made.replace(output / made.name)


def _objcopy(command: list[str], directory: Path) -> None:
    answer = subprocess.run(
        command, cwd=directory, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, timeout=300)
    if answer.returncode:
        raise Failure(f"{' '.join(command)} failed: {answer.stderr.strip()[:400]}")

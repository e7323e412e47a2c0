"""A directory with the C libraries of the target, and the toolset file through which SwiftPM finds them."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from pathlib import Path

from .cache import cache_directory, made_once, text_digest
from .compiler import Compiler
from .failure import say
from .sdk import SDK, triple
from .sqlite_source import find_source, make_amalgamation
from .replacements import Replacements, compile_replacements, recipe, run

#: The promises of the store, compiled in: FULL is the default even where a pragma were forgotten, data are
#: flushed by fdatasync, a double-quoted word is never text, connections may live on different threads.
PROMISES = [
    "-DSQLITE_THREADSAFE=2", "-DSQLITE_DEFAULT_SYNCHRONOUS=2", "-DSQLITE_DEFAULT_WAL_SYNCHRONOUS=2",
    "-DSQLITE_DEFAULT_MEMSTATUS=0", "-DSQLITE_DQS=0", "-DSQLITE_TEMP_STORE=2", "-DSQLITE_DEFAULT_MMAP_SIZE=0",
    "-DSQLITE_DEFAULT_CELL_SIZE_CHECK=1", "-DSQLITE_TRUSTED_SCHEMA=0", "-DSQLITE_MAX_WORKER_THREADS=0",
    "-DSQLITE_LIKE_DOESNT_MATCH_BLOBS", "-DSQLITE_STRICT_SUBTYPE=1", "-DSQLITE_UNTESTABLE", "-DSQLITE_USE_ALLOCA",
    "-DHAVE_FDATASYNC=1", "-DHAVE_USLEEP=1", "-DHAVE_PREAD=1", "-DHAVE_PWRITE=1", "-DHAVE_STRCHRNUL=1",
    "-DHAVE_LOCALTIME_R=1", "-DHAVE_GMTIME_R=1", "-DHAVE_ISNAN=1",
]
#: The parts of SQLite that the store does not use.
LEFT_OUT = [
    f"-DSQLITE_OMIT_{name}" for name in (
        "AUTHORIZATION", "COMPILEOPTION_DIAGS", "COMPLETE", "DECLTYPE", "DEPRECATED", "DESERIALIZE", "GET_TABLE", "JSON",
        "LOAD_EXTENSION", "PROGRESS_CALLBACK", "SHARED_CACHE", "TCL_VARIABLE", "TRACE", "UTF16")
]
SIZE = ["-Oz", "-ffunction-sections", "-fdata-sections", "-fno-omit-frame-pointer"]


@dataclass(frozen=True)
class Sysroot:
    """The directory of the C libraries for one architecture."""

    path: Path

    @property
    def toolset(self) -> Path:
        """The file for SwiftPM's `--toolset`."""
        return self.path / "toolset.json"

    @property
    def replacements(self) -> Replacements:
        """The replacements for parts of the runtime libraries."""
        return Replacements(self.path / "usr/lib/cleat")

    @property
    def packages(self) -> Path:
        """The directory for PKG_CONFIG_PATH."""
        return self.path / "usr/lib/pkgconfig"


def make_sysroot(arch: str, compiler: Compiler, sdk: SDK) -> Sysroot:
    """Builds SQLite for the target, once for this compiler, SDK, source and these options."""
    source = find_source()
    here = Path(__file__).parent
    own = "".join(path.read_text(encoding="utf-8") for path in (here / "sysroot.py", here / "sqlite_source.py"))
    key = text_digest(arch, compiler.tag, sdk.key, source.kind, source.key, own, recipe())
    target = cache_directory() / "sysroots" / f"{arch}-{key}"

    def make(work: Path) -> None:
        (work / "usr/include").mkdir(parents=True)
        (work / "usr/lib/pkgconfig").mkdir(parents=True)
        with tempfile.TemporaryDirectory(prefix="cleat-sqlite-") as scratch:
            version = make_amalgamation(source, Path(scratch), LEFT_OUT)
            say(f"compiling SQLite {version} for {triple(arch)}")
            _compile(arch, compiler, sdk, Path(scratch), work)
        compile_replacements(
            compiler, clang(arch, compiler, sdk), swiftc(arch, compiler, sdk), work / "usr/lib/cleat")
        _describe(target, work, version)

    made_once(target, make)
    return Sysroot(target)


def clang(arch: str, compiler: Compiler, sdk: SDK) -> list[str]:
    """Returns the command that compiles C for the target."""
    return [
        compiler.tool("clang"), f"--target={triple(arch)}", f"--sysroot={sdk.root(arch)}", "-resource-dir",
        str(sdk.resources(arch) / "clang")]


def swiftc(arch: str, compiler: Compiler, sdk: SDK) -> list[str]:
    """Returns the command that compiles Swift for the target."""
    return [
        str(compiler.bin / "swiftc"), "-target", triple(arch), "-sdk", str(sdk.root(arch)), "-resource-dir",
        str(sdk.resources(arch)), "-static-stdlib"]


def _compile(arch: str, compiler: Compiler, sdk: SDK, scratch: Path, work: Path) -> None:
    for name in ("sqlite3.h", "sqlite3ext.h"):
        if (scratch / name).is_file():
            (work / "usr/include" / name).write_bytes((scratch / name).read_bytes())
    commands = [
        [*clang(arch, compiler, sdk), "-c", "-g", f"-ffile-prefix-map={scratch}=/sqlite", "-fdebug-compilation-dir=/sqlite",
         f"-ffile-prefix-map={sdk.path}=/sdk", *SIZE, *PROMISES, *LEFT_OUT, "sqlite3.c", "-o", "sqlite3.o"],
        [compiler.tool("llvm-ar"), "rcsD", str(work / "usr/lib/libsqlite3.a"), "sqlite3.o"],
    ]
    for command in commands:
        run(command, scratch, f"SQLite could not be compiled for {triple(arch)}")


def _describe(target: Path, work: Path, version: str) -> None:
    include, library = f"{target}/usr/include", f"{target}/usr/lib"
    toolset = {
        "schemaVersion": "1.0",
        "rootPath": str(target),
        "cCompiler": {"extraCLIOptions": [f"-I{include}"]},
        "swiftCompiler": {"extraCLIOptions": ["-Xcc", f"-I{include}"]},
        "linker": {"extraCLIOptions": [f"-L{library}"]},
    }
    (work / "toolset.json").write_text(json.dumps(toolset, indent=2) + "\n", encoding="utf-8")
    (work / "usr/lib/pkgconfig/sqlite3.pc").write_text(
        f"Name: SQLite\nDescription: SQL database engine\nVersion: {version}\n"
        f"Libs: -L{library} -lsqlite3\nCflags: -I{include}\n", encoding="utf-8")

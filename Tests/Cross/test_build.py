"""Tests of `cross/sysroot` and `cross/build`: their refusals, and that their results can be linked and run."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "cross"))
sys.path.insert(0, str(Path(__file__).resolve().parent))

from elf_files import write_elf  # noqa: E402
from toolchain import flags, sqlite_source, sysroot  # noqa: E402
from toolchain.binaries import require_unused  # noqa: E402
from toolchain.budget import COLUMNS, PRODUCTS  # noqa: E402
from toolchain.compiler import find_compiler  # noqa: E402
from toolchain.elf import read_binary  # noqa: E402
from toolchain.failure import Failure  # noqa: E402
from toolchain.flags import prefix_maps, swiftpm  # noqa: E402
from toolchain.order import known, shares  # noqa: E402
from toolchain.sdk import find_sdk  # noqa: E402


def run(tool: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a tool of cross/."""
    return subprocess.run(
        [str(REPOSITORY / "cross" / tool), *words], capture_output=True, text=True, timeout=600, check=False,
        stdin=subprocess.DEVNULL, env={**os.environ, **environment})


class WithDirectory(unittest.TestCase):
    """A directory of the test's own."""

    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="cleat-build-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)


class CheckTests(WithDirectory):
    """Tests of binaries that are refused for a board."""

    def check(self, arch: str = "aarch64", *words: str, **options: object) -> subprocess.CompletedProcess[str]:
        """Checks a valid cleat and a cleatd with these options."""
        write_elf(self.directory / "cleat", arch)
        write_elf(self.directory / "cleat-location", arch)
        if "machine" not in options:
            options["machine"] = arch
        write_elf(self.directory / "cleatd", **options)
        return run("build", arch, "--check", str(self.directory), *words)

    def test_static_ones_pass_and_are_listed_with_their_hold(self) -> None:
        for arch in COLUMNS:
            answer = self.check(arch)
            self.assertEqual(answer.returncode, 0, answer.stderr)
            for product in PRODUCTS:
                self.assertRegex(answer.stdout, rf"(?m)^{product} +0\.00 +{COLUMNS[arch][product][0]:g} ")

    def test_dynamic(self) -> None:
        answer = self.check(interpreter="/lib/ld-musl-aarch64.so.1")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("cleatd is dynamic (it needs /lib/ld-musl-aarch64.so.1)", answer.stderr)
        answer = self.check(needed="libsqlite3.so.0")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("cleatd is dynamic (it needs libsqlite3.so.0)", answer.stderr)

    def test_holds_icu(self) -> None:
        answer = self.check(filling=b"\0icudt74l\0")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("cleatd holds ICU's data (icudt)", answer.stderr)

    def test_constants_are_in_pages_that_are_made_read_only(self) -> None:
        compiler = find_compiler()
        source = self.directory / "constants.s"
        # As Swift's compiler writes them: constants in .rodata with the flag for writing.
        source.write_text('.globl _start\n.text\n_start: nop\n.section .rodata.swift,"aw",@progbits\n.quad 1\n.data\n.quad 2\n', encoding="utf-8")
        script = REPOSITORY / "cross/toolchain/link/sections.ld"
        for words, writable in (([], 8), ([f"-Wl,-T,{script}"], 0)):
            program = self.directory / "program"
            subprocess.run(
                [compiler.tool("clang"), "--target=x86_64-linux-gnu", "-nostdlib", "-static", "-fuse-ld=lld", str(source),
                 *words, "-o", str(program)], check=True, timeout=60)
            self.assertEqual(read_binary(program).writable_constants, writable)

    def test_too_few_functions_in_order(self) -> None:
        names = known()
        self.assertGreater(len(names), 1000)
        self.assertEqual(len(names), len(set(names)))
        half = set(names[::2])
        self.assertEqual(shares(names, {"all": set(names), "half": half}), {"all": 1, "half": len(half) / len(names)})

    def test_over_the_hold(self) -> None:
        self.assertEqual(self.check("aarch64", "--hold", "0.2", filling=bytes(100_000)).returncode, 0)
        answer = self.check("aarch64", "--hold", "0.2", filling=bytes(300_000))
        self.assertEqual(answer.returncode, 1)
        self.assertIn("cleatd weighs 0.30 MB, over the hold of 0.2 MB by", answer.stderr)

    def test_for_another_machine(self) -> None:
        answer = self.check("aarch64", machine="x86_64")
        self.assertEqual(answer.returncode, 1)
        self.assertIn("cleatd is for x86_64, not for aarch64", answer.stderr)

    def test_invalid_and_truncated_binaries(self) -> None:
        good = write_elf(self.directory / "good", interpreter="/lib/ld.so", needed="libc.so").read_bytes()
        for content in (b"", b"#!/bin/sh\n", b"\x7fELF\x01\x01" + bytes(60), *(good[:length] for length in range(8, 200, 7))):
            (self.directory / "cleatd").write_bytes(content)
            with self.assertRaises(Failure, msg=repr(content[:8])):
                read_binary(self.directory / "cleatd")
        self.assertEqual(run("build", "aarch64", "--check", str(self.directory / "none")).returncode, 1)

    def test_a_dynamic_program_of_this_machine(self) -> None:
        shell = read_binary(Path("/bin/sh").resolve())
        self.assertFalse(shell.is_static)
        self.assertTrue(any(name.startswith("libc.") for name in shell.needed), shell.needed)
        self.assertIn(".text", shell.sections)


class LeftOutTests(WithDirectory):
    """Calls of functions whose tables are left out: they must be found in what is compiled, for the linker to
    optimise or not."""

    def compiled(self, name: str, source: str, *, bitcode: bool = True) -> Path:
        """Compiles a source as SwiftPM does, to bitcode with `flags.LTO`, and returns the products' directory."""
        modules = self.directory / f"{Path(name).stem}.build"
        modules.mkdir(exist_ok=True)
        (self.directory / name).write_text(source)
        made = modules / (f"{name}.bc" if name.endswith(".swift") and bitcode else f"{name}.o")
        compiler, kind = find_compiler(), flags.LTO[-1]
        command = (
            [compiler.tool("swiftc"), "-Osize", "-wmo", "-parse-as-library", *([f"-lto=llvm-{kind}"] if bitcode else [])]
            if name.endswith(".swift")
            else [compiler.tool("clang"), *flags.c_size(), *([f"-flto={kind}"] if bitcode else [])])
        subprocess.run(
            [*command, "-c", name, "-o", str(made)], cwd=self.directory, check=True, timeout=120, capture_output=True)
        self.assertEqual(made.read_bytes()[:4], b"BC\xc0\xde" if bitcode else b"\x7fELF")
        return self.directory

    def test_swift(self) -> None:
        fine = "public func age(_ scalar: Unicode.Scalar) -> Int? { scalar.properties.age?.major }"
        bad = fine.replace("Int?", "String?").replace("age?.major", "name")
        for number, (bitcode, kind) in enumerate([(True, "bc"), (False, "o")]):
            with self.subTest(kind):
                require_unused(self.compiled(f"Fine{number}.swift", fine, bitcode=bitcode), find_compiler())
                products = self.compiled(f"Name{number}.swift", bad, bitcode=bitcode)
                with self.assertRaisesRegex(Failure, rf"Name{number}\.build/Name{number}\.swift\.{kind} uses .*PropertiesV4name"):
                    require_unused(products, find_compiler())
                shutil.rmtree(self.directory / f"Name{number}.build")

    def test_c(self) -> None:
        source = "char *__cxa_demangle(void); char *name(void) { return __cxa_demangle(); }"
        for number, bitcode in enumerate([True, False]):
            with self.subTest(bitcode=bitcode):
                products = self.compiled(f"demangle{number}.c", source, bitcode=bitcode)
                with self.assertRaisesRegex(Failure, rf"demangle{number}\.build/demangle{number}\.c\.o uses __cxa_demangle"):
                    require_unused(products, find_compiler())
                shutil.rmtree(self.directory / f"demangle{number}.build")

    def test_no_compiled_files_and_unreadable_ones(self) -> None:
        with self.assertRaisesRegex(Failure, "no compiled files are in"):
            require_unused(self.directory, find_compiler())
        (self.directory / "Broken.build").mkdir()
        (self.directory / "Broken.build/broken.swift.bc").write_bytes(b"BC\xc0\xde and nothing that fits")
        with self.assertRaisesRegex(Failure, "llvm-nm cannot read the compiled files"):
            require_unused(self.directory, find_compiler())


class UsageTests(WithDirectory):
    """Wrong usage, and a machine that lacks a part."""

    def test_usage(self) -> None:
        for tool in ("sdk", "sysroot", "build"):
            self.assertEqual(run(tool, "mips").returncode, 64)
            self.assertEqual(run(tool, "--no-such-option").returncode, 64)
            answer = run(tool, "--help")
            self.assertEqual(answer.returncode, 0)
            self.assertIn("CLEAT_", answer.stdout)
        self.assertEqual(run("build").returncode, 64)

    def test_no_compiler(self) -> None:
        for name in ("env", "python3", "git", "tar"):
            found = shutil.which(name)
            if found:
                (self.directory / name).symlink_to(sys.executable if name == "python3" else found)
        for tool in ("sdk", "sysroot", "build"):
            answer = run(tool, "aarch64", PATH=str(self.directory))
            self.assertEqual(answer.returncode, 69, answer.stderr)
            self.assertIn("no swift on PATH", answer.stderr)

    def test_flags(self) -> None:
        swift, c = prefix_maps({"/here": "/there"})
        self.assertEqual(swiftpm(swift, c, ["-s"]), [
            "-Xswiftc", "-file-prefix-map", "-Xswiftc", "/here=/there", "-Xcc", "-ffile-prefix-map=/here=/there",
            "-Xlinker", "-s"])

    def test_names_that_the_linker_is_given_first(self) -> None:
        link = flags.link_size()
        self.assertEqual(tuple(link[at + 1] for at, word in enumerate(link) if word == "-u"), flags.COUNTED)


class SourceTests(WithDirectory):
    """Tests of the origin of SQLite's source."""

    def setUp(self) -> None:
        super().setUp()
        kept = {name: os.environ[name] for name in os.environ if name.startswith("CLEAT_")}
        self.addCleanup(os.environ.update, kept)
        self.addCleanup(lambda: [os.environ.pop(name) for name in list(os.environ) if name.startswith("CLEAT_")])
        os.environ["CLEAT_CACHE"] = str(self.directory / "cache")
        os.environ["CLEAT_OFFLINE"] = "1"

    def amalgamation(self, version: str = "3.46.1") -> Path:
        """Writes what looks like an amalgamation."""
        directory = self.directory / "amalgamation"
        directory.mkdir(exist_ok=True)
        (directory / "sqlite3.c").write_text("int nothing;\n")
        (directory / "sqlite3.h").write_text(f'#define SQLITE_VERSION        "{version}"\n')
        return directory

    def made(self) -> str:
        """Makes the source ready and returns its version."""
        work = self.directory / "work"
        shutil.rmtree(work, ignore_errors=True)
        work.mkdir()
        return sqlite_source.make_amalgamation(sqlite_source.find_source(), work, [])

    def test_directory_and_zip(self) -> None:
        directory = self.amalgamation()
        os.environ["CLEAT_SQLITE_AMALGAMATION"] = str(directory)
        self.assertEqual(self.made(), "3.46.1")
        archive = self.directory / "sqlite-amalgamation-3460100.zip"
        with zipfile.ZipFile(archive, "w") as contents:
            for name in ("sqlite3.c", "sqlite3.h"):
                contents.write(directory / name, f"sqlite-amalgamation-3460100/{name}")
        os.environ["CLEAT_SQLITE_AMALGAMATION"] = str(archive)
        self.assertEqual(self.made(), "3.46.1")

    def test_checksum(self) -> None:
        os.environ["CLEAT_SQLITE_AMALGAMATION"] = str(self.amalgamation())
        os.environ["CLEAT_SQLITE_CHECKSUM"] = "11" * 32
        with self.assertRaisesRegex(Failure, "must have " + "11" * 32):
            sqlite_source.find_source()

    def test_too_old_or_nothing_in_it(self) -> None:
        os.environ["CLEAT_SQLITE_AMALGAMATION"] = str(self.amalgamation("3.8.2"))
        with self.assertRaisesRegex(Failure, "SQLite 3.8.2 is too old"):
            self.made()
        (self.directory / "amalgamation/sqlite3.c").unlink()
        with self.assertRaisesRegex(Failure, "holds no sqlite3.c"):
            self.made()
        os.environ["CLEAT_SQLITE_AMALGAMATION"] = str(self.directory / "none")
        with self.assertRaisesRegex(Failure, "is not there"):
            self.made()
        broken = self.directory / "broken.zip"
        broken.write_bytes(b"PK\x03\x04nothing")
        os.environ["CLEAT_SQLITE_AMALGAMATION"] = str(broken)
        with self.assertRaises(Failure):
            self.made()

    def test_no_network_and_nothing_kept(self) -> None:
        with self.assertRaises(Failure) as caught:
            self.made()
        self.assertEqual(caught.exception.status, 69)
        self.assertIn("CLEAT_SQLITE_AMALGAMATION", caught.exception.then)

    def test_a_mirror_that_gives_something_else(self) -> None:
        mirror = self.directory / "mirror"
        (mirror / sqlite_source.POOL).mkdir(parents=True)
        (mirror / sqlite_source.POOL / sqlite_source.RELEASE.name).write_bytes(b"something else")
        with self.assertRaisesRegex(Failure, "is not what was pinned"):
            sqlite_source.fetch(
                [f"file://{mirror}/{sqlite_source.POOL}/{sqlite_source.RELEASE.name}"], sqlite_source.RELEASE.sha256,
                self.directory / "cache/sources/x")
        self.assertEqual(list((self.directory / "cache/sources").iterdir()), [])

    def test_a_kept_file_that_has_changed_is_not_used(self) -> None:
        tarball = sqlite_source.RELEASE
        kept = self.directory / "cache/sources" / f"{tarball.sha256[:16]}-{tarball.name}"
        kept.parent.mkdir(parents=True)
        kept.write_bytes(b"rotten")
        with self.assertRaises(Failure):
            sqlite_source.fetch_tarball(tarball)
        self.assertFalse(kept.exists())


class SysrootTests(WithDirectory):
    """The C library itself: built for each architecture, linked into a small program, run where that can be."""

    PROGRAM = """
        #include <sqlite3.h>
        #include <stdio.h>
        int main(int count, char **words) {
            sqlite3 *store;
            char *error = 0;
            if (sqlite3_open_v2(words[1], &store, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, 0)) return 2;
            if (sqlite3_exec(store, "PRAGMA locking_mode=EXCLUSIVE; PRAGMA journal_mode=WAL; CREATE TABLE t(a);"
                             "INSERT INTO t VALUES(7); SELECT \\"a\\" FROM t", 0, 0, &error)) return 3;
            if (!sqlite3_exec(store, "SELECT \\"no such column\\"", 0, 0, &error)) return 4;
            printf("%s %d\\n", sqlite3_libversion(), sqlite3_threadsafe());
            return sqlite3_close(store);
        }
    """

    def test_a_program_with_it(self) -> None:
        for arch in ("aarch64", "x86_64"):
            with self.subTest(arch):
                try:
                    compiler = find_compiler()
                    sdk = find_sdk(arch, compiler)
                    root = sysroot.make_sysroot(arch, compiler, sdk)
                except Failure as failure:
                    if failure.status != 69:
                        raise
                    self.skipTest(str(failure))
                source = self.directory / "program.c"
                source.write_text(self.PROGRAM)
                program = self.directory / f"program-{arch}"
                subprocess.run(
                    [*sysroot.clang(arch, compiler, sdk), "-fuse-ld=lld", "-static", "-rtlib=compiler-rt",
                     f"-I{root.path}/usr/include", str(source), f"-L{root.path}/usr/lib", "-lsqlite3", "-lm", "-o",
                     str(program)], check=True, timeout=120, capture_output=True)
                self.assertEqual(read_binary(program).machine, arch)
                self.assertTrue(read_binary(program).is_static)
                names = subprocess.run(
                    [compiler.tool("llvm-nm"), str(program)], capture_output=True, text=True, check=True, timeout=60).stdout
                self.assertIn(" fdatasync", names)
                self.assertNotIn("dlopen", names)
                command = [str(program), str(self.directory / f"{arch}.db")]
                if arch != os.uname().machine:
                    emulator = shutil.which(f"qemu-{arch}-static")
                    if not emulator:
                        continue
                    command.insert(0, emulator)
                answer = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
                self.assertEqual((answer.returncode, answer.stdout.split()[1:]), (0, ["2"]), answer.stderr)
                self.assertTrue((self.directory / f"{arch}.db").exists())
                self.assertFalse((self.directory / f"{arch}.db-shm").exists())


if __name__ == "__main__":
    unittest.main()

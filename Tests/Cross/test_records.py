"""Tests that programs linked with changed records of Swift's libraries find at run time what they find with all of them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "cross"))

from toolchain import flags  # noqa: E402
from toolchain.compiler import find_compiler  # noqa: E402
from toolchain.failure import Failure  # noqa: E402
from toolchain.records import lean, make_conditional  # noqa: E402
from toolchain.sdk import SDK, find_sdk  # noqa: E402
from toolchain.sysroot import swiftc  # noqa: E402


class Records(unittest.TestCase):
    #: Casts, descriptions and generic types that the runtime finds by the records, and by the names of types.
    PROGRAM = """
        struct Pair<First, Second> { let first: First, second: Second }
        struct Coded: Codable, Hashable { var name = "a", count = 3, list = [1.5], set: Set<UInt8> = [7] }
        enum Kind: String, CaseIterable { case small, large }
        func opaque(_ value: Any) -> Any { [value].shuffled()[0] }
        let values: [Any] = [
            1, UInt8(2), -3.5, Float(1), true, "text", "text".dropFirst(), Character("c"), [1, 2], ["k": 1], Set([4]), 1..<3,
            1...3, Optional(5) as Any, (1, "two"), Pair(first: [1: "a"], second: 2 as UInt16), Kind.large, Coded(), "é".utf8,
            "s".unicodeScalars.first!, Int128(5), SIMD4<Int32>(1, 2, 3, 4), Duration.seconds(2), zip([1], ["a"]), [3].lazy,
            ClosedRange<Double>(uncheckedBounds: (1, 2)), Mirror(reflecting: 1), ObjectIdentifier(Int.self), Int.self, [String: Pair<Int8, Float>].self,
            \\Coded.name, Result<Int, CancellationError>.success(1), repeatElement("r", count: 2), stride(from: 1, to: 9, by: 4),
        ]
        for value in values.map(opaque) {
            print(type(of: value), value is any Hashable, value is any Encodable, value is any Comparable,
                  value is any Sequence, value is any CustomStringConvertible,
                  value is any BinaryInteger, value is any Error, value is any LosslessStringConvertible)
            if !(value is ObjectIdentifier) { print(value); debugPrint(value) }
            if let value = value as? any Hashable { print(AnyHashable(value) == AnyHashable(value)) }
            if let value = value as? any Collection { print(value.count) }
        }
        print(Kind.allCases, Mirror(reflecting: Coded()).children.map(\\.label!))
        func start<Value: Comparable & CustomStringConvertible>(_ value: Value) -> String { "\\(max(value, value))" }
        print(start(3), start("b"), (opaque(4) as? any Comparable & CustomStringConvertible).map { start($0) } ?? "none")
        let answer = await withTaskGroup(of: Int.self) { group in
            for number in 1...4 { group.addTask { number * number } }
            return await group.reduce(0, +)
        }
        print(answer, await Task { 5 }.value, opaque(AsyncStream<Int> { $0.finish() }) is any AsyncSequence)
    """

    def setUp(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix="cleat-records-"))
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        try:
            self.compiler = find_compiler()
            self.whole = find_sdk("x86_64", self.compiler)
        except Failure as failure:
            if failure.status != 69:
                raise
            self.skipTest(str(failure))

    def run_with(self, sdk: SDK, source: Path) -> tuple[str, int]:
        """Returns what the program prints if it is linked with an SDK, and its size."""
        program = self.directory / sdk.key
        link = [word for flag in flags.link_size() for word in ("-Xlinker", flag)]
        made = subprocess.run(
            [*swiftc("x86_64", self.compiler, sdk), "-static-executable", "-Osize", "-use-ld=lld", str(source), "-o",
             str(program), *link], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(made.returncode, 0, made.stderr[-2000:])
        answer = subprocess.run([str(program)], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(answer.returncode, 0, answer.stderr[-2000:])
        return answer.stdout + answer.stderr, program.stat().st_size

    def test_what_a_program_finds(self) -> None:
        source = self.directory / "main.swift"
        source.write_text(self.PROGRAM)
        whole, all_bytes = self.run_with(self.whole, source)
        changed, bytes_left = self.run_with(lean(self.whole), source)
        self.assertGreater(len(whole.splitlines()), 90)
        self.assertEqual(changed, whole)
        self.assertLess(bytes_left, all_bytes - 300_000)

    def test_it_keeps_the_bundle(self) -> None:
        changed = lean(self.whole)
        for arch in ("x86_64", "aarch64"):
            for name in ("libswiftCore.a", "libswift_Concurrency.a"):
                before, after = (sdk.resources(arch) / "linux-static" / name for sdk in (self.whole, changed))
                self.assertEqual(before.stat().st_size, after.stat().st_size)
                self.assertNotEqual(before.read_bytes(), after.read_bytes())
            same = changed.resources(arch) / "linux-static/libdispatch.a"
            self.assertTrue(same.samefile(self.whole.resources(arch) / "linux-static/libdispatch.a"))

    def test_a_file_that_is_no_library(self) -> None:
        path = self.directory / "libswiftCore.a"
        path.write_bytes(b"not one")
        with self.assertRaisesRegex(Failure, "libswiftCore.a is no static library"):
            make_conditional(path, self.directory / "changed")


if __name__ == "__main__":
    unittest.main()

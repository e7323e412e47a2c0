import CleatAdapters
import CleatTestSupport
import Testing

/// Tests of the text for the difference of two texts.
@Suite struct UnifiedDiffTests {
    private static func difference(_ old: String?, _ new: String?) -> String {
        UnifiedDiff.text(of: "/f", from: old.map { Array($0.utf8) }, to: new.map { Array($0.utf8) })
    }

    @Test(
        "It is what diff -u writes",
        arguments: [
            ("a\n", "a\n", ""),
            (nil, nil, ""),
            (nil, "a\nb\n", "--- /dev/null\n+++ b/f\n@@ -0,0 +1,2 @@\n+a\n+b\n"),
            ("a\n", nil, "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"),
            ("a\n", "b\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+b\n"),
            ("a", "a\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"),
            ("", "a", "--- a/f\n+++ b/f\n@@ -0,0 +1 @@\n+a\n\\ No newline at end of file\n"),
            (nil, "", "--- /dev/null\n+++ b/f\n"),
            (
                "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n",
                "--- a/f\n+++ b/f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n"
            ),
            (
                "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "0\n1\n2\n3\n4\n5\n6\n7\n8\n",
                "--- a/f\n+++ b/f\n@@ -1,3 +1,4 @@\n+0\n 1\n 2\n 3\n@@ -6,4 +7,3 @@\n 6\n 7\n 8\n-9\n"
            ),
        ] as [(String?, String?, String)])
    func written(_ old: String?, _ new: String?, _ wanted: String) {
        #expect(Self.difference(old, new) == wanted)
    }

    @Test(
        "For random texts, the difference applied to the one gives the other",
        arguments: TestMachine.seeds(300, briefly: 40))
    func applied(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func text() -> String {
            let lines = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                ["a", "b", "c", "", "- d", "+ e", "@@ f"].randomElement(using: &random) ?? ""
            }
            return lines.joined(separator: "\n") + (Bool.random(using: &random) ? "\n" : "")
        }
        let (old, new) = (text(), text())
        #expect(try Self.apply(Self.difference(old, new), to: old) == new, "\(old) -> \(new)")
    }

    @Test("Long texts without common lines are compared in bounded time and memory")
    func long() throws {
        let old = (0..<4_000).map { "a\($0)\n" }.joined()
        let new = (0..<4_000).map { "b\($0)\n" }.joined()
        let difference = Self.difference(old, new)
        #expect(difference.hasPrefix("--- a/f\n+++ b/f\n@@ -1,4000 +1,4000 @@\n-a0\n"))
        #expect(try Self.apply(difference, to: old) == new)
    }

    /// Does what a difference says, and refuses one that does not fit.
    static func apply(_ difference: String, to old: String) throws -> String {
        var before = Self.lines(old)[...]
        var consumed = 0
        var result = ""
        var rest = Self.lines(difference)[...]
        if !rest.isEmpty { rest = rest.dropFirst(2) }
        while let line = rest.popFirst() {
            if line.hasPrefix("@@ ") {
                let numbers = line.split(separator: " ")[1].dropFirst().split(separator: ",").compactMap { Int($0) }
                let first = (numbers.first ?? 0) - (numbers.last == 0 && numbers.count == 2 ? 0 : 1)
                while consumed < first {
                    let line = before.popFirst()
                    result += try #require(line)
                    consumed += 1
                }
                continue
            }
            var body = String(line.dropFirst())
            if rest.first?.hasPrefix("\\") == true {
                rest.removeFirst()
                body.removeLast()
            }
            if line.hasPrefix("+") {
                result += body
            } else {
                let expected = before.popFirst()
                try #require(expected == body, "\(line)")
                consumed += 1
                if line.hasPrefix(" ") { result += body }
            }
        }
        return result + before.joined()
    }

    private static func lines(_ text: String) -> [String] {
        var lines: [String] = []
        var line = ""
        for scalar in text.unicodeScalars {
            line.unicodeScalars.append(scalar)
            if scalar == "\n" {
                lines.append(line)
                line = ""
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }
}

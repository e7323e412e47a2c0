import CleatAPI
import CleatIO
import CleatStore
import CleatTestSupport
import SystemPackage
import Testing

/// Tests of the log of the service: one line for each change of the board, whatever its author.
@Suite("Changes in the log", .tags(.board, .fault))
struct JournalTests {
    /// The lines of changes in what a service has logged.
    private static func changes(_ log: String) -> [String] {
        let verbs = ["commit", "trial", "revert", "revert-failed", "write"].map { $0 + " generation=" }
        var changes: [String] = []
        for line in log.split(separator: "\n") {
            guard let start = verbs.compactMap({ line.firstRange(of: $0)?.lowerBound }).min() else { continue }
            changes.append(String(line[start...]))
        }
        return changes
    }

    @Test("A commit, a volatile change, a confirmed trial, a reverted one, and a write at startup", .tags(.anyMachine))
    func lines() async throws {
        try await Board.with { board in
            let agent = try await board.start()
            for words in [
                ["set", "system/hostname=one", "--id", "a"], ["set", "agent/log/level=info"],
                ["set", "system/hostname=two", "--volatile", "--id", "v"], ["unset", "system/hostname", "--volatile"],
                ["set", "system/hostname=three", "--confirm", "1m", "--id", "t"], ["confirm", "t"],
                ["set", "system/hostname=four", "--confirm", "1m", "--id", "u"], ["abort", "u"],
                ["set", "system/hostname=five", "--confirm", "2s", "--id", "w"],
            ] {
                let result = try await board.script(#"exec "$CLEAT" "$@""#, words)
                #expect(result.status == 0, "\(words): \(result)")
            }
            try await board.eventually("nobody confirmed") { try await agent.status().trial == nil }
            let lines = Self.changes(try await agent.stop().outputText)
            let wanted = [
                "commit generation=1 id=a author=root paths=system/hostname result=\"wrote /etc/hostname; ",
                "commit generation=2 id=", "commit generation=2 id=v author=root paths=system/hostname result=\"until",
                "commit generation=2 id=", "trial generation=3 id=t author=root paths=system/hostname result=\"until",
                "commit generation=3 id=t author=root paths=system/hostname result=confirmed",
                "trial generation=4 id=u ",
                "revert generation=5 id=u author=root paths=system/hostname result=\"root aborted it; wrote /etc/hostname; ",
                "trial generation=6 id=w ", "revert generation=7 id=w author=cleatd paths=system/hostname result=",
            ]
            #expect(lines.count == wanted.count, "\(lines)")
            for (line, beginning) in zip(lines, wanted) { #expect(line.hasPrefix(beginning), "\(line)") }

            // What is missing at the next start is written then, and told.
            try SystemCalls.remove(board.directory.appending("root/etc/hostname"))
            let again = try await board.start()
            let written = Self.changes(try await again.stop().outputText)
            #expect(written.count == 1, "\(written)")
            #expect(
                written.first?.hasPrefix(
                    "write generation=7 id=- author=cleatd paths=system/hostname result=\"at startup")
                    == true, "\(written)")
        }
    }
}

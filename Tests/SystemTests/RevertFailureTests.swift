import CleatAPI
import CleatIO
import CleatJSON
import CleatTestSupport
import Testing

/// Tests of a revert with an obstacle, with the real programs.
@Suite("A failed revert, end to end", .serialized)
struct RevertFailureTests {
    /// Prints the object in the place of the managed file: its kind, mode, owner and bytes.
    private static let look = #"cd "$D/root/etc" && stat -c '%F %a %u:%g' hostname && cat hostname"#

    @Test(
        "It stays, is reported and blocks no reading, also after a restart; once the obstacle is gone, abort reverts it"
    )
    func directoryInTheWay() async throws {
        try await Board.with { board in
            let made = try await board.script(
                #"mkdir -p "$D/root/etc" && printf 'factory\n' >"$D/root/etc/hostname" && chmod 640 "$D/root/etc/hostname""#
            )
            try #require(made.status == 0, "\(made)")
            let first = try await board.start()
            try await first.set(["system/hostname": "before"])
            let before = try await board.script(Self.look)
            #expect(before.status == 0 && before.output.hasPrefix("regular file 640 "), "\(before)")
            let set = try await board.cleat("set", "system/hostname=tried", "--confirm", "10m", "--id", "t1")
            #expect(set.status == 0, "\(set)")
            let pending = try await first.status()
            let owner = try #require(pending.trial).owner

            let blocked = try await board.script(#"cd "$D/root/etc" && rm hostname && mkdir -p hostname/theirs"#)
            try #require(blocked.status == 0, "\(blocked)")
            let failed = try await board.cleat("abort", "t1")
            #expect(failed.status == 11 && failed.output.isEmpty, "\(failed)")
            for word in ["not all of change t1 could be reverted", "/etc/hostname", "`cleat abort t1` tries again"] {
                #expect(failed.errorText.contains(word), "\(failed)")
            }
            try await Self.checkThatItStays(board, first, owner: owner)
            try await first.stop(.kill)
            let second = try await board.start()
            try await Self.checkThatItStays(board, second, owner: owner)

            let cleared = try await board.script(#"cd "$D/root/etc" && test -d hostname/theirs && rm -r hostname"#)
            #expect(cleared.status == 0, "what stood there was left alone: \(cleared)")
            let undone = try await board.cleat("abort", "t1")
            #expect(undone.status == 0, "\(undone)")
            #expect(try await board.script(Self.look).output == before.output)
            #expect(try await second.get("system/hostname") == "before")
            #expect(try await board.cleat("status").status == 0)
            #expect(try await second.status().trial == nil)
            let trial = try await board.cleat("show", "2")
            #expect(trial.lines.first?.hasSuffix("t1  (reverted)") == true, "\(trial)")
            let back = try await board.cleat("show", "3")
            #expect(back.output.contains("/etc/hostname"), "\(back)")
            let difference = try await board.cleat("diff", "1", "3", "--output", "json").output
            #expect(try JSONReader.read(difference)["changes"]?.arrayValue?.isEmpty == true, "\(difference)")
            try await second.set(["system/hostname": "free"])
        }
    }

    /// Requires that the failure and its remedy are reported, the values in force can be read, and nothing can be
    /// changed.
    private static func checkThatItStays(_ board: Board, _ agent: RunningAgent, owner: String) async throws {
        // The service tries again by itself, and while it does, it is neither.
        let shown = TextBox()
        try await board.eventually("the status told what could not be undone", showing: shown.text) {
            let status = try await board.cleat("status")
            shown.append("\(status)\n")
            let words = ["id t1", "could not be reverted", "/etc/hostname", "`cleat abort` tries again"]
            return status.status == 11 && words.allSatisfy { status.output.contains($0) }
        }
        try await board.eventually("the change on trial told what could not be undone") {
            let pending = try await agent.call(TransactionsInterface.Pending.self, .init())
            guard let trial = pending.trial, let failures = trial.failures else { return false }
            return trial.id == "t1" && trial.owner == owner && trial.phase == .revertFailed
                && failures.contains { $0.contains("/etc/hostname") }
        }
        let read = try await board.cleat("get", "system/hostname")
        #expect(read.status == 0 && read.output.contains("tried"), "\(read)")
        for words in [
            ["set", "system/timezone=UTC"], ["set", "system/hostname=x", "--confirm", "1m"], ["confirm", "t1"],
        ] {
            let refused = try await board.script(#"exec "$CLEAT" "$@""#, words)
            #expect(refused.status == 75 && refused.output.isEmpty, "\(words) \(refused)")
            for word in [
                "change t1 of \(owner) could not be reverted", "/etc/hostname", "'cleat abort t1' tries again",
            ] {
                #expect(refused.errorText.contains(word), "\(words) \(refused)")
            }
        }
    }
}

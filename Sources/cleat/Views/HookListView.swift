import CleatAPI
import CleatJSON

/// Shows the hooks and what is wrong with their files: what `cleat hook list` prints.
struct HookListView: TablePresentable, JSONPresentable {
    var reply: HooksInterface.List.Reply

    var columns: [String] { ["NAME", "ON", "RUNS", "FAILED", "SUPPRESSED", "LAST", "WRITES", "PROGRAM"] }

    var rows: [[TextSpan]] {
        reply.hooks.map { hook in
            [
                TextSpan(hook.name, .name), TextSpan(hook.match.summary), TextSpan("\(hook.runs)"),
                TextSpan("\(hook.failures)", hook.failures > 0 ? .bad : .plain), TextSpan("\(hook.suppressed)"),
                hook.last.map { TextSpan($0.outcome, $0.succeeded ? .good : .bad) } ?? TextSpan("-"),
                TextSpan(hook.sandbox?.summary ?? "*", hook.sandbox?.enforced == false ? .bad : .plain),
                TextSpan(hook.run.joined(separator: " ")),
            ]
        }
    }

    var emptyNote: String { "no hook; put one into hooks.d and send the service SIGHUP" }

    var notes: [TextSpan] {
        reply.problems.map { problem in
            var place = problem.file
            if let line = problem.line { place += ":\(line)" }
            if let column = problem.column { place += ":\(column)" }
            return TextSpan("\(place): \(problem.message)", .bad)
        }
    }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] { reply.hooks.map { JSONValue(showing: $0) } }
}

extension HookMatch {
    /// What the hook waits for, in a few words: `device add /devices/* SUBSYSTEM=block`.
    var summary: String {
        var words = [source ?? "*", action ?? "*", subject ?? "*"]
        for (key, value) in properties.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            words.append("\(key)=\(value)")
        }
        return words.joined(separator: " ")
    }
}

extension HookSandboxInfo {
    /// Where the hook may write, in a few words; a mark where the kernel does not see to it.
    var summary: String {
        let places = writePaths.isEmpty ? "nothing" : writePaths.joined(separator: " ")
        return enforced ? places : "\(places) (not enforced)"
    }
}

extension HookRun {
    /// Whether the program ended well.
    var succeeded: Bool { status == .exited && code == 0 }

    /// How the run ended, in a few words.
    var outcome: String {
        switch status {
        case .exited: code == 0 ? "done" : "exit \(code)"
        case .signalled: "signal \(code)"
        case .timedOut: "timed out"
        case .refused: "refused"
        }
    }
}

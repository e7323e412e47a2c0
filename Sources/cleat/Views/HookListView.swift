import CleatAPI
import CleatJSON
import CleatViews

/// Prints the hooks and the problems of their files: the output of `cleat hook list`.
struct HookListView: TablePresentable, JSONPresentable {
    var reply: HooksInterface.List.Reply

    var columns: [String] { ["NAME", "ON", "RUNS", "FAILED", "SUPPRESSED", "LAST", "WRITES", "PROGRAM"] }

    var rows: [[TextSpan]] {
        reply.hooks.map { hook in
            [
                TextSpan(hook.name, .name), TextSpan(hook.match.summary), TextSpan("\(hook.runs)"),
                TextSpan("\(hook.failures)", hook.failures > 0 ? .bad : .plain), TextSpan("\(hook.suppressed)"),
                hook.paused.map { TextSpan($0 == .loop ? "paused: loop" : "paused", .bad) } ?? hook.last.map {
                    TextSpan($0.outcome, $0.succeeded ? .good : .bad)
                } ?? TextSpan("-"),
                TextSpan(hook.sandbox?.summary ?? "*", hook.sandbox?.enforced == false ? .bad : .plain),
                TextSpan(hook.run.joined(separator: " ")),
            ]
        }
    }

    var emptyNote: String { "no hook; put one into hooks.d and run 'cleat reload'" }

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
    /// The hook's event pattern in short form: `device add /devices/* SUBSYSTEM=block`.
    var summary: String {
        var words = [source ?? "*", action ?? "*", subject ?? "*"]
        for (key, value) in properties.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
            words.append("\(key)=\(value)")
        }
        return words.joined(separator: " ")
    }
}

extension HookSandboxInfo {
    /// The hook's write paths in short form, with a mark if the kernel does not enforce them.
    var summary: String {
        let places = writePaths.isEmpty ? "nothing" : writePaths.joined(separator: " ")
        return enforced ? places : "\(places) (not enforced)"
    }
}

extension HookRun {
    /// True if the program exited with 0.
    var succeeded: Bool { status == .exited && code == 0 }

    /// The outcome of the run in short form.
    var outcome: String {
        switch status {
        case .exited: code == 0 ? "done" : "exit \(code)"
        case .signalled: "signal \(code)"
        case .timedOut: "timed out"
        case .refused: "refused"
        }
    }
}

import CleatAPI
import CleatJSON
import CleatViews

/// Prints the state of the service: the output of `cleat status`.
struct StatusView: TextPresentable, JSONPresentable {
    var status: ServiceInterface.Status.Reply
    /// True to include counters.
    var showsCounters = false

    func write(to page: inout TextPage) {
        let rows = rows
        let width = rows.map(\.name.displayWidth).max() ?? 0
        for row in rows {
            let fill = String(repeating: " ", count: width - row.name.displayWidth + 2)
            page.line(.init(row.name, .faint), .init(fill), row.text)
        }
    }

    private var rows: [(name: String, text: TextSpan)] {
        var rows: [(name: String, text: TextSpan)] = []
        func row(_ name: String, _ text: String, _ style: TextStyle = .plain) {
            rows.append((name, TextSpan(text, style)))
        }
        row("version", status.version)
        row("process", "\(status.pid) (uid \(status.uid), \(Self.count(status.threads, "thread")))")
        row("running", "\(Self.duration(status.uptime)), since \(status.started)")
        row("instance", status.instance)
        row("store", "\(status.store), generation \(status.generation)")
        row("state", status.stateDirectory)
        if let root = status.root { row("root", "\(root) (the running system is not changed)") }
        row("settings", "\(status.settings) stored")
        if let trial = status.trial {
            row("on trial", Self.text(of: trial), trial.phase == .revertFailed ? .bad : .strong)
        }
        if let count = status.findings, count > 0 {
            row("findings", "\(Self.count(count, "finding")); see `cleat doctor`", .bad)
        }
        for path in status.inactive { row("inactive", path, .bad) }
        row("applying", Self.applying(status))
        for observer in status.observers {
            if let summary = observer.summary { row(observer.name, summary) }
            if let problem = observer.problem { row("\(observer.name) problem", problem, .bad) }
        }
        row("hooks", "\(status.hooks)")
        if status.hookProblems > 0 { row("hook problems", "\(status.hookProblems); see `cleat hook list`", .bad) }
        if let probes = status.probes { row("probes", probes.joined(separator: ", ")) }
        for problem in status.probeProblems ?? [] { row("probe problem", problem, .bad) }
        if let abi = status.landlockABI { row("sandbox", Self.sandbox(abi)) }
        row("clients", "\(status.connections)")
        if let caller = status.caller {
            row(
                "you",
                "\(caller.name) (uid \(caller.uid)), by \(caller.proof)"
                    + (caller.claimedAddress.map { ", from \($0) (unverified)" } ?? ""))
        }
        if let memory = status.memoryPrivate {
            row("memory", memory.shownBytes + " private" + (status.memoryPSS.map { ", \($0.shownBytes) PSS" } ?? ""))
        }
        if let problem = status.configProblem { row("configuration", problem, .bad) }
        for problem in status.fileProblems ?? [] { row("files", problem, .bad) }
        for note in status.storeNotes { row("store note", note, .bad) }
        for counter in status.counters where showsCounters && counter.value != 0 {
            row(counter.name, "\(counter.value)")
        }
        return rows
    }

    var json: JSONValue { JSONValue(showing: status) }

    /// Describes whether settings are applied to the system, and to which part of it.
    private static func applying(_ status: ServiceInterface.Status.Reply) -> String {
        status.root == nil ? "yes" : "to files below the root; the kernel and services are unchanged"
    }

    /// Describes the change on trial, its remaining confirm window, and the way to confirm it.
    private static func text(of trial: TrialSummary) -> String {
        let what = "generation \(trial.generation) of \(trial.owner), id \(trial.id)"
        if trial.phase == .revertFailed {
            let failures = trial.failures.map { " (\($0.joined(separator: "; ")))" } ?? ""
            return "\(what): could not be reverted\(failures); `cleat abort` tries again"
        }
        guard let remaining = trial.remaining else { return "\(what): \(trial.phase.rawValue)" }
        return "\(what): reverts in \(duration(remaining)) unless `cleat confirm` keeps it"
    }

    /// Describes the kernel's support for hooks with write paths.
    private static func sandbox(_ abi: Int) -> String {
        switch abi {
        case ..<1: "none: the kernel has no Landlock, so a hook with writePaths is refused unless it sets best-effort"
        case ..<3: "Landlock, version \(abi), which cannot refuse truncate(2)"
        default: "Landlock, version \(abi)"
        }
    }

    /// Returns a number with its noun: `1 setting`, `2 settings`.
    static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }

    private static func duration(_ milliseconds: Int64) -> String {
        let seconds = milliseconds / 1000
        return switch seconds {
        case ..<60: "\(seconds)s"
        case ..<3600: "\(seconds / 60)m \(seconds % 60)s"
        case ..<86400: "\(seconds / 3600)h \(seconds % 3600 / 60)m"
        default: "\(seconds / 86400)d \(seconds % 86400 / 3600)h"
        }
    }
}

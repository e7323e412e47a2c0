import ArgumentParser
import CleatAPI
import CleatSettings
import CleatViews

/// The options of every command that changes settings.
struct WriteOptions: ParsableArguments {
    @Option(
        help: .init(
            "Refuse the change unless this is still the generation in force.", valueName: "[store:]generation"))
    var expect: String?

    @Option(help: .init("Name the transaction, so that it can be repeated safely.", valueName: "id"))
    var id: String?

    @Option(name: .shortAndLong, help: .init("The reason, for the log.", valueName: "text"))
    var comment: String?
}

/// The options of commands whose change can be on trial.
struct TrialOptions: ParsableArguments {
    @Option(
        name: .customLong("confirm"),
        help: .init(
            "Revert the change unless `cleat confirm` keeps it within this time (1s to 1d).",
            valueName: "duration"), transform: TrialWindow.parse)
    var window: TrialWindow?

    @Option(
        name: .customLong("until"),
        help: .init(
            """
            Confirm the change once this probe succeeds: link:NAME, address:NAME-OR-ADDRESS, ping:ADDRESS, \
            tcp:ADDRESS:PORT or command:NAME. Repeatable; the default of --confirm is then 2m.
            """, valueName: "probe"))
    var probes: [String] = []

    @Flag(help: "Wait until the change on trial is confirmed (0) or reverted (10).")
    var wait = false

    func validate() throws {
        if wait, window == nil, probes.isEmpty { throw ValidationError("--wait requires --confirm or --until") }
    }
}

/// The option of commands whose change may end the connection of the command.
struct GuardOptions: ParsableArguments {
    @Flag(
        name: .customLong("yes-cut-me-off"),
        help: "Make a change that ends this connection at once, instead of putting it on trial for 2m.")
    var mayCutOff = false
}

extension TrialOptions {
    /// True if the change is on trial.
    var isAsked: Bool { window != nil || !probes.isEmpty }

    /// The probes that confirm the change by themselves; nil if there are none.
    var until: [String]? { probes.isEmpty ? nil : probes }

    /// Waits for the end of a change on trial and prints it, if `--wait` is given.
    ///
    /// - Throws: the status 10 if the change was reverted, also by an earlier call, or 11 if it could not be reverted.
    func follow(
        _ reply: SettingsInterface.Set.Reply, _ session: ChangeSession, _ console: Console
    ) throws(CommandError) {
        try follow(reply.id, reply.state, session, console)
    }

    /// Waits for the end of a change on trial and prints it, if `--wait` is given.
    func follow(
        _ id: String, _ state: CommitState, _ session: ChangeSession, _ console: Console
    ) throws(CommandError) {
        switch state {
        case .pending where !wait: session.board.warnOfUnenforcedWindow()
        case .pending:
            let end = try session.end(of: id)
            try console.show(TrialEndView(end: end))
            if end.state == .reverted { throw .alreadyReported(.reverted) }
            session.board.rememberAddress()
        // The call was repeated, and the change was reverted before.
        case .reverted: throw .alreadyReported(.reverted)
        default: break
        }
    }
}

/// The confirm window of a change, as typed: `120s`, `10m`.
struct TrialWindow {
    let milliseconds: Int64

    /// Parses a duration.
    ///
    /// - Throws: `ValidationError` for an invalid one.
    static func parse(_ text: String) throws -> TrialWindow {
        let milliseconds = try DurationText.parse(text)
        guard APILimits.window.contains(milliseconds) else { throw ValidationError("give 1s to 1d") }
        return TrialWindow(milliseconds: milliseconds)
    }
}

extension DurationText {
    /// Reads the duration of an option, in milliseconds.
    ///
    /// - Throws: `ValidationError` for an invalid one.
    static func parse(_ text: String) throws -> Int64 {
        if Int64(text) != nil { throw ValidationError("it needs a unit: \(text)s, \(text)m or \(text)h") }
        guard let milliseconds = milliseconds(text) else {
            throw ValidationError("write a number and a unit, such as 90s, 2m or 1h")
        }
        return milliseconds
    }
}

extension WriteOptions {
    /// Returns the generation that `--expect` requires; nil without the option.
    func reference(_ session: Session) throws(CommandError) -> GenerationRef? {
        try Expectation.reference(expect, session)
    }
}

/// The options of commands that print the results of a change.
struct ResultOptions: ParsableArguments {
    @Flag(name: .shortAndLong, help: "Print details, too: skipped files, restarted programs.")
    var verbose = false
}

/// The options for volatile and checked changes.
struct ChangeKindOptions: ParsableArguments {
    @Flag(help: "Make the change until the next boot only; no generation is made.")
    var volatile = false

    @Flag(help: "Only check whether the change would be accepted, and show its changes.")
    var check = false
}

/// Parses the value of `--expect`.
enum Expectation {
    /// Parses a generation, or a store's id and a generation; without an id, that of the service's store is used.
    static func reference(_ text: String?, _ session: Session) throws(CommandError) -> GenerationRef? {
        guard let text else { return nil }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count <= 2, let last = parts.last, let generation = Int64(last), generation >= 0,
            parts.count == 1 || !parts[0].isEmpty
        else {
            throw .usage(
                "--expect \(text) is neither a generation nor STORE:GENERATION", remedy: "see `cleat log` for both")
        }
        if parts.count == 2 { return GenerationRef(store: String(parts[0]), generation: generation) }
        let log = try session.call(SettingsInterface.Log.self, .init(limit: 1))
        return GenerationRef(store: log.store, generation: generation)
    }
}

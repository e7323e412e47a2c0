import ArgumentParser
import CleatAPI
import CleatSettings

/// The options of every command that changes settings.
struct WriteOptions: ParsableArguments {
    @Option(
        help: .init(
            "Refuse the change unless the settings are still of this generation.", valueName: "[store:]generation"))
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
            "Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).",
            valueName: "duration"), transform: TrialWindow.parse)
    var window: TrialWindow?

    @Option(
        name: .customLong("until"),
        help: .init(
            """
            Keep the change by itself once this holds: link:NAME, address:NAME-OR-ADDRESS, ping:ADDRESS, \
            tcp:ADDRESS:PORT or command:NAME. Repeatable; without --confirm it has 2m.
            """, valueName: "probe"))
    var probes: [String] = []

    @Flag(help: "Wait until the change on trial is kept (0) or undone (10).")
    var wait = false

    func validate() throws {
        if wait, window == nil, probes.isEmpty { throw ValidationError("--wait is about --confirm or --until") }
    }
}

/// The option of commands whose change may end the connection of the command.
struct GuardOptions: ParsableArguments {
    @Flag(
        name: .customLong("yes-cut-me-off"),
        help: "Make a change that ends the connection of this command at once; else it is on trial for 2m first.")
    var mayCutOff = false
}

extension TrialOptions {
    /// True if the change is on trial.
    var isAsked: Bool { window != nil || !probes.isEmpty }

    /// The probes that confirm the change by themselves; nil if there are none.
    var until: [String]? { probes.isEmpty ? nil : probes }

    /// Waits for the end of a change on trial and prints it, if `--wait` is given.
    ///
    /// - Throws: the status 10 if the change was undone, also by an earlier call, or 11 if it could not be undone.
    func follow(
        _ reply: SettingsInterface.Set.Reply, _ session: Session, _ console: Console
    ) throws(CommandError) {
        try follow(reply.id, reply.state, session, console)
    }

    /// Waits for the end of a change on trial and prints it, if `--wait` is given.
    func follow(
        _ id: String, _ state: CommitState, _ session: Session, _ console: Console
    ) throws(CommandError) {
        switch state {
        case .pending where !wait: session.tellOfUnwatchedTime()
        case .pending:
            let end = try session.end(of: id)
            try console.show(TrialEndView(end: end))
            if end.state == .reverted { throw .alreadyTold(.reverted) }
            session.rememberAddress()
        // The call was repeated, and the change was undone before.
        case .reverted: throw .alreadyTold(.reverted)
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
        if Int64(text) != nil { throw ValidationError("it needs a unit: \(text)s, \(text)m or \(text)h") }
        guard let milliseconds = DurationText.milliseconds(text) else {
            throw ValidationError("write a number and a unit, such as 90s, 2m or 1h")
        }
        guard APILimits.window.contains(milliseconds) else { throw ValidationError("give 1s to 1d") }
        return TrialWindow(milliseconds: milliseconds)
    }
}

extension WriteOptions {
    /// Returns the generation that `--expect` requires; nil without the option.
    func reference(_ session: Session) throws(CommandError) -> GenerationRef? {
        try Expectation.reference(expect, session)
    }
}

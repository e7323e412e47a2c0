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

    @Option(name: .shortAndLong, help: .init("Say why; it stands in the log.", valueName: "text"))
    var comment: String?
}

/// The option of commands whose change can be on trial.
struct TrialOptions: ParsableArguments {
    @Option(
        name: .customLong("confirm"),
        help: .init(
            "Undo the change by itself unless `cleat confirm` keeps it within this time (1s to 1d).",
            valueName: "duration"))
    var window: TrialWindow?
}

/// How long a change waits for its confirmation, as it is typed: `120s`, `10m`.
struct TrialWindow: ExpressibleByArgument {
    let milliseconds: Int64

    init?(argument: String) {
        guard let milliseconds = DurationText.milliseconds(argument), APILimits.window.contains(milliseconds) else {
            return nil
        }
        self.milliseconds = milliseconds
    }
}

extension WriteOptions {
    /// The state that `--expect` names.
    func reference(_ session: Session) throws(CommandError) -> GenerationRef? {
        try Expectation.reference(expect, session)
    }
}

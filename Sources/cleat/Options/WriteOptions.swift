import ArgumentParser
import CleatAPI

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

extension WriteOptions {
    /// The state that `--expect` names.
    func reference(_ session: Session) throws(CommandError) -> GenerationRef? {
        try Expectation.reference(expect, session)
    }
}

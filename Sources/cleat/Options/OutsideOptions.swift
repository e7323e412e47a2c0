import ArgumentParser
import CleatAPI
import CleatIO

/// The options of `cleat reapply` and `cleat adopt`, which handle edits made outside Cleat.
struct OutsideOptions: ParsableArguments {
    @Option(help: .init("Name the change on trial, so that it can be repeated safely.", valueName: "id"))
    var id: String?

    @Option(name: .shortAndLong, help: .init("The reason, for the log.", valueName: "text"))
    var comment: String?

    @OptionGroup var trial: TrialOptions

    @Flag(help: "Everything that `cleat drift` lists.")
    var all = false

    @Argument(help: "Names that `cleat drift` lists.")
    var names: [String] = []

    func validate() throws {
        if id != nil || comment != nil, !trial.isAsked {
            throw ValidationError("--id and --comment require --confirm or --until")
        }
        if all != names.isEmpty { throw ValidationError("Give names that `cleat drift` lists, or --all.") }
    }
}

extension OutsideOptions {
    /// The selected names; nil for all.
    var chosen: [String]? { all ? nil : names }

    /// The id of the change; nil if it is not on trial.
    var changeID: String? { trial.isAsked ? id ?? RandomID.make() : nil }
}

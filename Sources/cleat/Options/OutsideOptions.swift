import ArgumentParser
import CleatAPI

/// The options of `cleat reapply` and `cleat adopt`, which handle edits made outside Cleat.
struct OutsideOptions: ParsableArguments {
    @Option(help: .init("Name the change on trial, so that it can be repeated safely.", valueName: "id"))
    var id: String?

    @Option(name: .shortAndLong, help: .init("The reason, for the log.", valueName: "text"))
    var comment: String?

    @OptionGroup var trial: TrialOptions

    @Flag(help: "All that `cleat drift` lists.")
    var all = false

    @Argument(help: "What `cleat drift` lists, by its name.")
    var names: [String] = []

    func validate() throws {
        if id != nil || comment != nil, !trial.isAsked {
            throw ValidationError("--id and --comment are about --confirm or --until")
        }
        if all != names.isEmpty { throw ValidationError("Name what is meant, as `cleat drift` does, or give --all.") }
    }
}

extension OutsideOptions {
    /// The selected names; nil for all.
    var chosen: [String]? { all ? nil : names }

    /// The id of the change; nil if it is not on trial.
    var changeID: String? { trial.isAsked ? id ?? Session.makeID() : nil }
}

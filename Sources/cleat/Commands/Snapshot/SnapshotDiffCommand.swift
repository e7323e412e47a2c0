import ArgumentParser
import CleatAPI

/// `cleat snapshot diff`.
struct SnapshotDiffCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show the differences between a snapshot and another one, or the present state.",
        usage: "cleat snapshot diff [<options>] <name> [<other>]",
        discussion: """
            Of files and system values only the names of the different ones are shown.

            Examples:
              cleat snapshot diff factory
              cleat snapshot diff factory "before the update"
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The snapshot.")
    var name: String

    @Argument(help: "Another snapshot; default: the present state.")
    var other: String?

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(SnapshotsInterface.Diff.self, .init(name: name, other: other))
        try context.console.show(SnapshotDifferenceView(name: name, other: other, reply: reply))
    }
}

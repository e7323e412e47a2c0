import ArgumentParser
import CleatAPI

/// `cleat snapshot diff`.
struct SnapshotDiffCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show what differs between a snapshot and another one, or what is now.",
        usage: "cleat snapshot diff [<options>] <name> [<other>]",
        discussion: """
            Of files and values of the system it says which ones differ, not how.

            Examples:
              cleat snapshot diff factory
              cleat snapshot diff factory "before the update"
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The snapshot.")
    var name: String

    @Argument(help: "Another snapshot; without one, what is now.")
    var other: String?

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(SnapshotsInterface.Diff.self, .init(name: name, other: other))
        try context.console.show(SnapshotDifferenceView(name: name, other: other, reply: reply))
    }
}

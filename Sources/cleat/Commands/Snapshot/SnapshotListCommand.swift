import ArgumentParser
import CleatAPI

/// `cleat snapshot list`.
struct SnapshotListCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the snapshots, and what they take.",
        usage: "cleat snapshot list [<options>]",
        discussion: """
            OWN is what would be free again if that one were deleted: what no other snapshot holds.

            Examples:
              cleat snapshot list
              cleat snapshot list --output json
            """)

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(SnapshotsInterface.List.self, .init())
        try context.console.show(SnapshotListView(reply: reply))
    }
}

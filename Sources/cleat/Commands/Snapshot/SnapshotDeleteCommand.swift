import ArgumentParser
import CleatAPI

/// `cleat snapshot delete`.
struct SnapshotDeleteCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a snapshot and the contents that no other one has.",
        usage: "cleat snapshot delete [<options>] <name>",
        discussion: """
            Settings and files stay as they are. The space is reused; the store's file does not shrink.

            Examples:
              cleat snapshot delete "before the update"
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The snapshot.")
    var name: String

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(SnapshotsInterface.Delete.self, .init(name: name))
        try context.console.show(
            NoteView(note: "deleted “\(name)”; \(reply.freed.shownBytes) are free again", state: "deleted"))
    }
}

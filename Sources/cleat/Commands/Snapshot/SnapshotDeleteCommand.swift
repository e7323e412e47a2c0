import ArgumentParser

/// `cleat snapshot delete`.
struct SnapshotDeleteCommand: RequestCommand {
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

    var request: any ServiceRequest { SnapshotChange.delete(name: name) }
}

import ArgumentParser

/// `cleat snapshot create`.
struct SnapshotCreateCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Save the present state under a name.",
        usage: "cleat snapshot create [<options>] <name>",
        discussion: """
            Contents that earlier snapshots have are not stored again. No snapshot can be made while a change is on \
            trial.

            Examples:
              cleat snapshot create factory
              cleat snapshot create "before the update" --comment "release 12"
            """)

    @OptionGroup var options: GlobalOptions

    @Option(name: .shortAndLong, help: .init("The reason.", valueName: "text"))
    var comment: String?

    @Argument(help: "The name: 1 to 64 bytes.")
    var name: String

    var request: any ServiceRequest { SnapshotChange.create(name: name, comment: comment) }
}

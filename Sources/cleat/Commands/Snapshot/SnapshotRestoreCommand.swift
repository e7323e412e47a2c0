import ArgumentParser
import CleatAPI

/// `cleat snapshot restore`.
struct SnapshotRestoreCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Restore the settings of a snapshot.",
        usage: "cleat snapshot restore [<options>] <name>",
        discussion: """
            One transaction restores the committed settings, and the system follows them as with any change; it is a \
            new generation, so it can be rolled back. Files and values that still differ then, because they had been \
            edited outside Cleat when the snapshot was made, are named; --files restores them, too. A file that was \
            edited outside Cleat since is not overwritten, and the restore is refused, unless --files is given.

            Examples:
              cleat snapshot restore factory --check
              cleat snapshot restore "before the update" --confirm 2m
              cleat snapshot restore factory --files
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @Flag(help: "Check the changes and show them, but change nothing.")
    var check = false

    @Flag(help: "Restore files and values, too, that do not follow from the settings.")
    var files = false

    @Argument(help: "The snapshot.")
    var name: String

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.changeSession(for: trial)
        let reply = try session.service.call(
            SnapshotsInterface.Restore.self,
            .init(
                name: name, files: files ? true : nil, id: write.id, expect: try write.reference(session.service),
                comment: write.comment, check: check ? true : nil, confirm: trial.window?.milliseconds,
                until: trial.until))
        try context.console.show(SnapshotRestoreView(reply: reply, broughtFiles: files))
        try trial.follow(reply.change, session, context.console)
    }
}

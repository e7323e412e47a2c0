import ArgumentParser
import CleatAPI

/// `cleat snapshot restore`.
struct SnapshotRestoreCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore",
        abstract: "Bring back the settings of a snapshot.",
        usage: "cleat snapshot restore [<options>] <name>",
        discussion: """
            One transaction makes the committed settings what they were, and the system follows them as with any \
            change; it is a new generation, so it can be rolled back. What is not then what it was, since somebody had \
            edited it when the snapshot was made, is named; --files brings it back as well. \
            A file that somebody has edited since is not overwritten, and the restore is refused, but with --files.

            Examples:
              cleat snapshot restore factory --check
              cleat snapshot restore "before the update" --confirm 2m
              cleat snapshot restore factory --files
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var write: WriteOptions

    @OptionGroup var trial: TrialOptions

    @Flag(help: "Check the changes and show them, but change nothing.")
    var check = false

    @Flag(help: "Bring files and values back, too, that settings do not make what they were.")
    var files = false

    @Argument(help: "The snapshot.")
    var name: String

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session(for: trial)
        let reply = try session.call(
            SnapshotsInterface.Restore.self,
            .init(
                name: name, files: files ? true : nil, id: write.id, expect: try write.reference(session),
                comment: write.comment, check: check ? true : nil, confirm: trial.window?.milliseconds,
                until: trial.until))
        try context.console.show(SnapshotRestoreView(reply: reply, broughtFiles: files))
        try trial.follow(reply.change, session, context.console)
    }
}

import ArgumentParser
import CleatAPI
import CleatIO

/// `cleat snapshot import`.
struct SnapshotImportCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import a snapshot from a file.",
        usage: "cleat snapshot import [<options>] <file>|-",
        discussion: """
            For root and the service's own user. All of it is checked before any of it is stored. Only the snapshot \
            is made; `cleat snapshot restore` puts it in force.

            Examples:
              cleat snapshot import factory.snapshot
              cleat snapshot import board-7.snapshot --name "of board 7"
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: .init("Use another name than the one in the file.", valueName: "name"))
    var name: String?

    @Argument(help: .init("The file, or - for standard input.", valueName: "file"), completion: .file())
    var local: String

    func run(in context: CommandContext) throws(CommandError) {
        let source = try LocalSource(path: local)
        let session = try context.session()
        let progress = TransferProgress(context.console)
        defer { progress.clear() }
        let target = FileTarget(area: "temporary", path: "snapshot-import-\(RandomID.make())")
        _ = try FilePut(session: session, progress: progress).send(source, to: target, mode: "0600")
        let reply: SnapshotsInterface.Import.Reply
        do throws(CommandError) {
            reply = try session.call(
                SnapshotsInterface.Import.self, .init(area: target.area, path: target.path, name: name))
        } catch {
            // The import's error is thrown; an error of the removal is ignored.
            _ = try? session.call(FilesInterface.Remove.self, .init(area: target.area, path: target.path))
            throw error
        }
        _ = try session.call(FilesInterface.Remove.self, .init(area: target.area, path: target.path))
        try context.console.show(SnapshotView(snapshot: reply.snapshot))
    }
}

import ArgumentParser
import CleatAPI

/// `cleat snapshot export`.
struct SnapshotExportCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a snapshot into one file, without secrets.",
        usage: "cleat snapshot export [<options>] <name> [<file>|-]",
        discussion: """
            For root and the service's own user. Secret settings are left out, and files that not everybody may read or \
            that a secret setting is written into; they are named, and an import keeps what the board has of them.

            Examples:
              cleat snapshot export factory factory.snapshot
              cleat snapshot export factory - | ssh desk 'cat > board-7.snapshot'
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Refused: Cleat writes secrets nowhere in the clear, and does not encrypt.")
    var withSecrets = false

    @Argument(help: "The snapshot.")
    var name: String

    @Argument(
        help: .init("The file; standard output where nothing is said.", valueName: "file"), completion: .file())
    var local: String = "-"

    func run(in context: CommandContext) throws(CommandError) {
        guard !withSecrets else {
            throw .usage(
                "an export never holds secrets: they would stand in the file in the clear",
                remedy: "export without --with-secrets, and set the secrets on the other board yourself: "
                    + "`cleat -H user@board set --stdin PATH` takes one there by SSH")
        }
        let session = try context.session()
        let sink: any FileSink
        switch try LocalDestination(local, for: "board.snapshot") {
        case .file(let directory, let name): sink = try directory.sink(name, mode: "0600")
        case .stream(let stream, _): sink = stream
        }
        var last: SnapshotsInterface.Export.Reply?
        try session.stream(SnapshotsInterface.Export.self, .init(name: name)) { (reply) throws(CommandError) in
            try sink.write(Array(reply.text.utf8))
            last = reply
            return true
        }
        try sink.finish()
        let omitted = last?.omitted ?? []
        if local == "-" {
            if !omitted.isEmpty {
                Console.complain("left out: \(omitted.joined(separator: ", "))")
            }
            return
        }
        try context.console.show(SnapshotExportView(name: name, file: local, omitted: omitted))
    }
}

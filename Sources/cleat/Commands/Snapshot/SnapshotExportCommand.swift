import ArgumentParser
import CleatAPI
import CleatViews

/// `cleat snapshot export`.
struct SnapshotExportCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Write a snapshot into one file, without secrets.",
        usage: "cleat snapshot export [<options>] <name> [<file>|-]",
        discussion: """
            For root and the service's own user. Secret settings are omitted, and so are files that not everyone may \
            read or that contain a secret setting; they are named, and an import keeps those of the board. In a \
            directory the file is named after the snapshot, and replaces no other file; a file given by its name is \
            replaced.

            Examples:
              cleat snapshot export factory factory.snapshot
              cleat snapshot export factory - | ssh desk 'cat > board-7.snapshot'
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Refused: Cleat does not encrypt, and writes no secrets in plain text.")
    var withSecrets = false

    @Argument(help: "The snapshot.")
    var name: String

    @Argument(
        help: .init("The file, or a directory; default: standard output.", valueName: "file"),
        completion: .file())
    var local: String = "-"

    func run(in context: CommandContext) throws(CommandError) {
        guard !withSecrets else {
            throw .usage(
                "an export never holds secrets: they would be in the file in the clear",
                remedy: "export without --with-secrets, and set the secrets on the other board yourself: "
                    + "`cleat -H user@board set --stdin PATH` sends one there by SSH")
        }
        let session = try context.session()
        let sink: any FileSink
        let place: String
        let isDirectory = LocalFiles.kind(ofPath: local) == .directory
        switch try LocalDestination(local, for: Self.fileName(of: name)) {
        case .file(let directory, let child):
            place = directory.shown(child)
            // A file that the caller has named is replaced; one whose name was derived from the snapshot is not.
            if isDirectory, try directory.holds(child) {
                throw .local("\(place) exists already", remedy: "name the file, to replace it or to have another one")
            }
            sink = try directory.sink(child, mode: "0600")
        case .stream(let stream, let name): (sink, place) = (stream, name)
        }
        var last: SnapshotsInterface.Export.Reply?
        try session.stream(SnapshotsInterface.Export.self, .init(name: name)) { (reply) throws(CommandError) in
            try sink.write(Array(reply.text.utf8))
            last = reply
            return true
        }
        try sink.finish()
        let omitted = last?.omitted ?? []
        if place == "-" {
            if !omitted.isEmpty {
                Console.printError("omitted: \(omitted.map(\.printable).joined(separator: ", "))\n")
            }
            return
        }
        try context.console.show(SnapshotExportView(name: name, file: place, omitted: omitted))
    }

    /// Returns the file name for a snapshot: its name, with `_` for all characters but ASCII letters, digits, `-`, `_`
    /// and dots, and for a leading dot, which would hide the file.
    static func fileName(of snapshot: String) -> String {
        var text = ""
        for scalar in snapshot.unicodeScalars {
            let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar))
            let isKept = isPlain || scalar == "-" || scalar == "_" || scalar == "." && !text.isEmpty
            text.unicodeScalars.append(isKept ? scalar : "_")
        }
        return text + ".snapshot"
    }
}

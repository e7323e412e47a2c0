import ArgumentParser
import CleatAPI

/// `cleat file put`.
struct FilePutCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Send files to the board.",
        usage: "cleat file put [<options>] <file>|- ... <area/path>",
        discussion: """
            A file becomes visible on the board only when all of it has arrived and its SHA-256 is correct; a former \
            file at the path stays until then. An interrupted put is resumed when it is repeated. In a directory, and \
            before a slash, the file keeps its name. With -r directories are sent with all their contents; symbolic \
            links are skipped and named.

            Examples:
              cleat file put ca.pem documents/certs/ca.pem
              cleat file put *.pem documents/certs/
              cleat file put -r ./site library/site
              tar c logs | cleat file put - documents/logs.tar
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(name: .shortAndLong, help: "Send directories with all their contents.")
    var recursive = false

    @Option(
        help: .init(
            "The id for resuming the upload; default: made from the file.",
            valueName: "id"))
    var id: String?

    @Option(help: .init("The permissions of the file on the board, in octal digits.", valueName: "mode"))
    var mode: String?

    @Argument(
        help: .init("The files, or - for standard input, and last a path on the board.", valueName: "file"),
        completion: .custom(FileTargetCompletion.filesAndPlaces))
    var paths: [String]

    func validate() throws {
        guard paths.count >= 2 else {
            throw ValidationError("Give a file and a path on the board: cleat file put FILE AREA/PATH")
        }
        if let mode, let problem = FileModeCommand.problem(of: mode) { throw ValidationError("--mode \(problem)") }
        if id != nil, paths.count > 2 || recursive { throw ValidationError("--id is for one file") }
    }

    func run(in context: CommandContext) throws(CommandError) {
        let sources = paths.dropLast()
        let target = try FileTarget(paths[paths.count - 1])
        let session = try context.session()
        let progress = TransferProgress(context.console)
        defer { progress.clear() }
        let report = TransferReport(way: .put, console: context.console)
        for path in sources {
            let place = try place(of: path, in: target, isOneOfMany: sources.count > 1, session)
            if path != "-", LocalFiles.kind(ofPath: path) == .directory {
                guard recursive else {
                    throw .local(
                        "\(path) is a directory", remedy: "upload it with all its contents: `cleat file put -r`")
                }
                try FileTree(session: session, progress: progress, report: report.add)
                    .send(try LocalDirectory(path), to: place)
            } else {
                let source = try LocalSource(path: path)
                let put = FilePut(session: session, progress: progress, id: id)
                try report.add(.init(way: .put, items: [try put.send(source, to: place, mode: mode ?? source.mode)]))
            }
        }
        try report.finish()
    }

    private func place(
        of path: String, in target: FileTarget, isOneOfMany: Bool, _ session: Session
    ) throws(CommandError) -> FileTarget {
        let name = path == "-" ? nil : Self.name(of: path)
        guard !isOneOfMany else {
            guard let name else {
                throw .usage("\(path) has no name", remedy: "upload it separately and give a destination path")
            }
            return target.appending(name)
        }
        let place = try session.destination(target, for: name)
        guard !place.path.isEmpty, name != nil || !target.endsInSlash else {
            throw .usage(
                "\(target) names no file", remedy: "write the whole path, such as \(target.appending("name"))")
        }
        return place
    }

    /// Returns the last name of a local path; that of the resolved path for `.`, `..` and `/`; nil if there is none.
    private static func name(of path: String) -> String? {
        let last = path.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) }
        if last == "." || last == ".." || last == nil {
            return LocalFiles.realPath(path)?.utf8.split(separator: UInt8(ascii: "/")).last.flatMap { String($0) }
        }
        return last
    }
}

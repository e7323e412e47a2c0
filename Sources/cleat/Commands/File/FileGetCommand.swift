import ArgumentParser
import CleatAPI

/// `cleat file get`.
struct FileGetCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Fetch a file of the board.",
        usage: "cleat file get [<options>] <area/path> [<file>|<directory>|-]",
        discussion: """
            A local file is replaced only after the whole new file has arrived, its SHA-256 is correct, and it is on \
            the disk. An interrupted get is resumed when it is repeated; until then the received part is next to the \
            destination, under a name that begins with .cleat-get-. Standard output (-), a FIFO and a device are \
            written as the data arrives. With -r a directory is fetched with all its contents.

            Examples:
              cleat file get documents/certs/ca.pem
              cleat file get documents/certs/ca.pem /etc/ssl/board.pem
              cleat file get library/firmware.img - | sha256sum
              cleat file get -r documents ./backup
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(name: .shortAndLong, help: "Fetch a directory with all its contents.")
    var recursive = false

    @Argument(
        help: .init("A path on the board.", valueName: "area/path"), completion: .custom(FileTargetCompletion.places))
    var target: String

    @Argument(
        help: .init("The destination; default: the present directory.", valueName: "file"),
        completion: .file())
    var local: String?

    func run(in context: CommandContext) throws(CommandError) {
        let target = try FileTarget(target)
        let session = try context.session()
        let progress = TransferProgress(context.console)
        defer { progress.clear() }
        let found = try session.call(FilesInterface.Stat.self, target.place).entry
        if recursive, found.type == .directory {
            let report = TransferReport(way: .get, console: context.console)
            try FileTree(session: session, progress: progress, report: report.add).fetch(target, into: try root(target))
            return try report.finish()
        }
        guard found.type != .directory else {
            throw .usage("\(target) is a directory", remedy: "fetch it with all its contents: `cleat file get -r`")
        }
        let get = FileGet(session: session, progress: progress)
        switch try LocalDestination(local, for: target.name ?? target.area) {
        case .file(let directory, let name):
            let sink = try directory.sink(name, mode: found.mode)
            let item = try get.fetch(target, into: sink, named: directory.shown(name))
            try context.console.show(FileTransferView(way: .get, items: [item]))
        case .stream(let sink, let name):
            let item = try get.fetch(target, into: sink, named: name)
            // If the file itself goes to standard output, nothing else is printed there.
            if name != "-" { try context.console.show(FileTransferView(way: .get, items: [item])) }
        }
    }

    /// Returns the local directory to fetch a directory of the board into: below an existing directory under its own
    /// name, else at the given path.
    private func root(_ target: FileTarget) throws(CommandError) -> LocalDirectory {
        let name = target.name ?? target.area
        switch try LocalDestination(local, for: name) {
        case .file(let directory, let last): return try directory.directory(last, isMade: true)
        case .stream(_, let name):
            throw .usage("a directory cannot be fetched into \(name)", remedy: "name a directory")
        }
    }
}

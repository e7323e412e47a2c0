import ArgumentParser
import CleatAPI
import CleatViews

/// `cleat file ls`.
struct FileListCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List a directory of the board.",
        usage: "cleat file ls [<options>] [<area/path>]",
        discussion: """
            Without a path, the areas are listed.

            Examples:
              cleat file ls documents
              cleat file ls -r documents/certs
              cleat file ls -r documents --output json-lines
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(name: .shortAndLong, help: "List subdirectories, too.")
    var recursive = false

    @Argument(
        help: .init("A path on the board.", valueName: "area/path"), completion: .custom(FileTargetCompletion.places))
    var target: String?

    var request: any ServiceRequest { FileListRequest(recursive: recursive, target: target) }
}

/// The request of `cleat file ls`.
struct FileListRequest: ServiceRequest {
    let recursive: Bool
    let target: String?

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session()
        guard let target = try target.map(FileTarget.init) else {
            let reply = try session.call(FilesInterface.Areas.self, .init())
            return try context.console.show(FileAreaView(areas: reply.areas))
        }
        var view = FileListView(target: target, entries: [])
        let found = try session.call(FilesInterface.Stat.self, target.place).entry
        guard found.type == .directory else {
            view.entries = [found]
            return try context.console.show(view)
        }
        let streams = context.console.renderer.form == .jsonLines
        try session.entries(in: target, recursive: recursive) { (page) throws(CommandError) in
            if streams {
                try context.console.showItem(FileListView(target: target, entries: page.entries))
            } else {
                view.entries += page.entries
            }
            view.skipped += page.skipped ?? 0
        }
        if !streams { try context.console.show(view) }
    }
}

extension FileListRequest {
    /// Takes the words of the command.
    init(_ words: inout CommandWords) {
        recursive = words.flag("--recursive", "-r")
        target = words.operand()
    }
}

/// `cleat file df`.
struct FileSpaceCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "df",
        abstract: "Show the use and the quotas of the areas.",
        usage: "cleat file df [<options>]",
        discussion: """
            Examples:
              cleat file df
              cleat file df --output json
            """)

    @OptionGroup var options: GlobalOptions

    var request: any ServiceRequest { ServiceQuestion.areas }
}

import ArgumentParser
import CleatAPI

/// `cleat file mv`.
struct FileMoveCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "mv",
        abstract: "Move a file or a directory of the board, to another area too.",
        usage: "cleat file mv [<options>] <area/path> <area/path>",
        discussion: """
            Examples:
              cleat file mv inbox/update.bin library/
              cleat file mv --no-replace documents/a.txt documents/b.txt
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var places: TransferArguments

    func run(in context: CommandContext) throws(CommandError) {
        let (session, transfer, from) = try places.transfer(in: context)
        let entry = try session.call(FilesInterface.Move.self, transfer).entry
        try context.console.show(FileChangeView(from: from, area: transfer.toArea, entry: entry))
    }
}

/// The arguments of `cleat file mv` and `cleat file cp`.
struct TransferArguments: ParsableArguments {
    @Flag(help: "Do not replace an existing file.")
    var noReplace = false

    @Argument(
        help: .init("A path on the board.", valueName: "area/path"), completion: .custom(FileTargetCompletion.places))
    var source: String

    @Argument(
        help: .init("The new path; in a directory the name is kept.", valueName: "new-area/path"),
        completion: .custom(FileTargetCompletion.places))
    var target: String

    /// Returns the session, the parameters of the call to the service, and the source.
    func transfer(
        in context: CommandContext
    ) throws(CommandError) -> (Session, FilesInterface.Transfer, FileTarget) {
        let source = try FileTarget(source)
        let target = try FileTarget(target)
        let session = try context.session()
        let place = try session.destination(target, for: source.name)
        return (
            session,
            .init(
                area: source.area, path: source.path, toArea: place.area, toPath: place.path,
                replace: noReplace ? nil : true), source
        )
    }
}

/// `cleat file cp`.
struct FileCopyCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "cp",
        abstract: "Copy a file of the board, to another area too.",
        usage: "cleat file cp [<options>] <area/path> <area/path>",
        discussion: """
            Examples:
              cleat file cp library/site.json documents/
              cleat file cp documents/a.txt documents/a.txt.bak
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var places: TransferArguments

    func run(in context: CommandContext) throws(CommandError) {
        let (session, transfer, from) = try places.transfer(in: context)
        let entry = try session.call(FilesInterface.Copy.self, transfer).entry
        try context.console.show(FileChangeView(from: from, area: transfer.toArea, entry: entry))
    }
}

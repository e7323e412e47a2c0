import ArgumentParser
import CleatAPI

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

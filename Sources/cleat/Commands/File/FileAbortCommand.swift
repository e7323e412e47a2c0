import ArgumentParser
import CleatAPI

/// `cleat file abort`.
struct FileAbortCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "abort",
        abstract: "Give up files that are on their way to the board.",
        usage: "cleat file abort [<options>] <id> ...",
        discussion: """
            Examples:
              cleat file abort put-6e340b9cffb37a989ca544e6bb780a2c78901d3f
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The ids, as `cleat file uploads` lists them.")
    var ids: [String]

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session()
        var view = FileRemovalView(removed: [])
        for id in ids {
            _ = try session.call(FilesInterface.Abort.self, .init(id: id))
            view.removed.append(id)
        }
        try context.console.show(view)
    }
}

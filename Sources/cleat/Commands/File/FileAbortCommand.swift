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

    @Option(
        help: .init("Whose they are; only root and the service's own user give up those of others.", valueName: "uid"))
    var user: Int?

    @Argument(help: "The ids, as `cleat file uploads` lists them.")
    var ids: [String]

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session()
        var view = FileRemovalView(removed: [])
        for id in ids {
            _ = try session.call(FilesInterface.Abort.self, .init(id: id, user: user))
            view.removed.append(id)
        }
        try context.console.show(view)
    }
}

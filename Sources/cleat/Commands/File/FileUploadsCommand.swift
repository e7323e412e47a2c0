import ArgumentParser
import CleatAPI

/// `cleat file uploads`.
struct FileUploadsCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "uploads",
        abstract: "List pending uploads.",
        usage: "cleat file uploads [<options>]",
        discussion: """
            A file whose put was interrupted counts towards the quota of its area until it is put again, cancelled, \
            or a day old.

            Examples:
              cleat file uploads
              cleat file uploads --output json-lines
            """)

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(FilesInterface.Uploads.self, .init())
        try context.console.show(FileUploadView(uploads: reply.uploads))
    }
}

/// `cleat file abort`.
struct FileAbortCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "abort",
        abstract: "Cancel pending uploads.",
        usage: "cleat file abort [<options>] <id> ...",
        discussion: """
            Examples:
              cleat file abort put-6e340b9cffb37a989ca544e6bb780a2c78901d3f
            """)

    @OptionGroup var options: GlobalOptions

    @Option(
        help: .init(
            "The user who owns them; only root and the service's own user may cancel those of others.",
            valueName: "uid"))
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

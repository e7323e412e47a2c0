import ArgumentParser
import CleatAPI

/// `cleat file uploads`.
struct FileUploadsCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "uploads",
        abstract: "List the files that are on their way to the board.",
        usage: "cleat file uploads [<options>]",
        discussion: """
            A file whose put was cut off counts towards its area until it is put again, given up, or has waited for \
            a day.

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

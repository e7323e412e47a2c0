import ArgumentParser
import CleatAPI

/// `cleat file df`.
struct FileSpaceCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "df",
        abstract: "Say what the areas hold and may hold.",
        usage: "cleat file df [<options>]",
        discussion: """
            Examples:
              cleat file df
              cleat file df --output json
            """)

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(FilesInterface.Areas.self, .init())
        try context.console.show(FileAreaView(areas: reply.areas))
    }
}

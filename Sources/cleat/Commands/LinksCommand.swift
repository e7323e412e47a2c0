import ArgumentParser
import CleatAPI

/// `cleat links`.
struct LinksCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "links",
        abstract: "List the network links of the board.",
        usage: "cleat links [<options>]",
        discussion: """
            Examples:
              cleat links
              cleat links --output json
            """)

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(EventsInterface.Links.self, .init())
        try context.console.show(LinkListView(links: reply.links))
    }
}

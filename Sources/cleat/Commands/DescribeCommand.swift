import ArgumentParser
import CleatAPI

/// `cleat describe`.
struct DescribeCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Say which settings there are and what they may hold.",
        usage: "cleat describe [<options>] [<path>]",
        discussion: """
            Examples:
              cleat describe
              cleat describe network/interfaces/eth0/mtu
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: "The path of a setting, or of settings.", completion: .custom(SettingPathCompletion.paths))
    var path: String?

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(SettingsInterface.Describe.self, .init(prefix: path))
        try context.console.show(DescriptionView(descriptions: reply.descriptions))
    }
}

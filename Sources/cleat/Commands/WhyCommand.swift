import ArgumentParser
import CleatAPI

/// `cleat why`.
struct WhyCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Say where a setting's value comes from.",
        usage: "cleat why [<options>] <path>",
        discussion: """
            Shows every layer that has a value, the highest first, with the file or the generation that says so. The \
            one in force is marked. Below stand the lock, if there is one, and what `cleat unset` would give.

            Examples:
              cleat why system/hostname
              cleat why network/interfaces/eth0/mtu --output json
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Show a secret's values; only root and the service's own user may.")
    var reveal = false

    @Argument(help: "The path of a setting.", completion: .custom(SettingPathCompletion.paths))
    var path: String

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(
            SettingsInterface.Why.self, .init(path: path, reveal: reveal ? true : nil))
        try context.console.show(WhyView(reply: reply))
    }
}

import ArgumentParser
import CleatAPI
import CleatSettings

/// `cleat describe`.
struct DescribeCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Say which settings there are and what they may hold.",
        usage: "cleat describe [<options>] [<path>]",
        discussion: """
            With --markdown it is a page to read and to keep beside a program: a heading for each group, and for each \
            setting its type, default and constraints in words. With --builtin only the settings that Cleat has by \
            itself are told, and no service is asked.

            Examples:
              cleat describe
              cleat describe network/interfaces/eth0/mtu
              cleat describe --markdown > settings.md
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Print a page in Markdown.")
    var markdown = false

    @Flag(help: "Describe what Cleat has by itself; no service is asked.")
    var builtin = false

    @Argument(
        help: "The path of a setting, or of settings.", completion: .custom(SettingPathCompletion.paths))
    var path: String?

    func run(in context: CommandContext) throws(CommandError) {
        if markdown, context.console.renderer.form != .text {
            throw .usage("--markdown is a form of its own", remedy: "leave out --output")
        }
        let reply =
            builtin
            ? try declared() : try context.session().call(SettingsInterface.Describe.self, .init(prefix: path))
        if markdown {
            try context.console.write(
                SettingsReference(descriptions: reply.descriptions, groups: reply.groups ?? [], prefix: path).text)
        } else {
            try context.console.show(DescriptionView(descriptions: reply.descriptions))
        }
    }

    private func declared() throws(CommandError) -> SettingsInterface.Describe.Reply {
        guard let path else { return .init(describing: nil, in: .builtIn) }
        let prefix: SettingPath
        do {
            prefix = try SettingPath(path)
        } catch {
            throw CommandError(.invalidPath(path: path, message: "\(error)"))
        }
        guard Schema.builtIn.lookup(prefix) != nil else {
            let nearest = Schema.builtIn.suggestion(for: prefix).map { "; did you mean \($0)?" } ?? ""
            throw CommandError(
                .unknownSetting(path: path, message: "\(path) is not a setting that Cleat has by itself\(nearest)"))
        }
        return .init(describing: prefix, in: .builtIn)
    }
}

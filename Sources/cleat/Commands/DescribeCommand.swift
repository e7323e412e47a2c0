import ArgumentParser
import CleatAPI
import CleatSettings
import CleatViews

/// `cleat describe`.
struct DescribeCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "describe",
        abstract: "Show the settings and their constraints.",
        usage: "cleat describe [<options>] [<path>]",
        discussion: """
            With --markdown the output is a page for readers: a heading for each group, and for each setting its \
            type, default and constraints in words. With --builtin only Cleat's built-in settings are described, and \
            no service is needed.

            Examples:
              cleat describe
              cleat describe network/interfaces/eth0/mtu
              cleat describe --markdown > settings.md
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Print a page in Markdown.")
    var markdown = false

    @Flag(help: "Describe only built-in settings; no service is needed.")
    var builtin = false

    @Argument(
        help: "The path of a setting, or of settings.", completion: .custom(SettingPathCompletion.paths))
    var path: String?

    func run(in context: CommandContext) throws(CommandError) {
        if markdown, context.console.renderer.form != .text {
            throw .usage("--markdown cannot be combined with --output", remedy: "omit --output")
        }
        if !markdown, !builtin { return try ServiceQuestion.describe(path: path).run(in: context) }
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

import ArgumentParser
import CleatAPI
import CleatViews

/// `cleat list`.
struct ListCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List settings with their values and origins.",
        usage: "cleat list [<options>] [<prefix>]",
        discussion: """
            Unset settings are listed, too: with their default if it is in force, and as (unset) if the system \
            decides.

            Examples:
              cleat list
              cleat list network --only-set
              cleat list --output json-lines
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Omit unset settings.")
    var onlySet = false

    @Flag(help: "Show secrets, too; only root and the service's own user may.")
    var reveal = false

    @Argument(help: "The path above the settings.", completion: .custom(SettingPathCompletion.paths))
    var prefix: String?

    func run(in context: CommandContext) throws(CommandError) {
        let streams = context.console.renderer.form == .jsonLines
        var list = SettingListView(store: "", generation: 0, settings: [], onlySet: onlySet)
        try context.session().stream(
            SettingsInterface.List.self, .init(prefix: prefix, defaults: !onlySet, reveal: reveal ? true : nil)
        ) { (page) throws(CommandError) in
            if streams {
                try context.console.showItem(
                    SettingListView(store: page.store, generation: page.generation, settings: page.settings))
            } else {
                list.store = page.store
                list.generation = page.generation
                list.settings += page.settings
                list.note = list.note ?? page.note
            }
            return true
        }
        if !streams { try context.console.show(list) }
    }
}

import ArgumentParser
import CleatAPI
import CleatViews

/// `cleat list`.
struct ListCommand: RequestCommand {
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

    var request: any ServiceRequest { ServiceQuestion.list(prefix: prefix, onlySet: onlySet, reveal: reveal) }
}

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
            decides. With --live the host name, the time zone, interfaces, LEDs and kernel parameters are listed as \
            the system has them.

            Examples:
              cleat list
              cleat list network --only-set
              cleat list --output json-lines
              cleat list network --live
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Omit unset settings.")
    var onlySet = false

    @Flag(help: "Show secrets, too; only root and the service's own user may.")
    var reveal = false

    @Flag(help: "List the values in the system next to the settings.")
    var live = false

    @Argument(help: "The path above the settings.", completion: .custom(SettingPathCompletion.paths))
    var prefix: String?

    func validate() throws {
        if live, reveal || onlySet {
            throw ValidationError("--live lists the values in the system: omit --only-set and --reveal")
        }
    }

    var request: any ServiceRequest {
        live
            ? ServiceQuestion.live(prefix: prefix, isList: true)
            : ServiceQuestion.list(prefix: prefix, onlySet: onlySet, reveal: reveal)
    }
}

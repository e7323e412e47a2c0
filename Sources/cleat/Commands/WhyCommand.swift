import ArgumentParser
import CleatAPI

/// `cleat why`.
struct WhyCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "why",
        abstract: "Show the layers that have a value for a setting.",
        usage: "cleat why [<options>] <path>",
        discussion: """
            Shows every layer that has a value, the highest first, with its file or generation. The one in force is \
            marked, followed by the lock, if there is one, and the value that `cleat unset` would restore.

            Examples:
              cleat why system/hostname
              cleat why network/interfaces/eth0/mtu --output json
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Show a secret's values; only root and the service's own user may.")
    var reveal = false

    @Argument(help: "The path of a setting.", completion: .custom(SettingPathCompletion.paths))
    var path: String

    var request: any ServiceRequest { ServiceQuestion.why(path: path, reveal: reveal) }
}

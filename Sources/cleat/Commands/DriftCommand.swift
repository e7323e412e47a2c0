import ArgumentParser
import CleatAPI

/// `cleat drift`.
struct DriftCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "drift",
        abstract: "List edits made outside Cleat.",
        usage: "cleat drift [<options>]",
        discussion: """
            Lists files, links and kernel values that differ from what the service wrote last, each with its setting. \
            They stay as they are until `cleat reapply` or `cleat adopt`. At startup the service writes only missing \
            files and, after a boot, kernel values. The exit status is 0 if there is no such edit, else 1.

            Examples:
              cleat drift
              cleat drift --output json-lines
            """)

    @OptionGroup var options: GlobalOptions

    var request: any ServiceRequest { ServiceQuestion.drift }
}

import ArgumentParser
import CleatAPI

/// `cleat status`.
struct StatusCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of the service.",
        usage: "cleat status [<options>]",
        discussion: """
            The exit status is 11 if a change could not be reverted completely.

            Examples:
              cleat status
              cleat status --counters
              cleat -H root@board status --output json
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Show counters since startup, too: events, hooks, losses.")
    var counters = false

    var request: any ServiceRequest { ServiceQuestion.status(counters: counters) }
}

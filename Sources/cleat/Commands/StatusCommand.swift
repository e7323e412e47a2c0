import ArgumentParser
import CleatAPI

/// `cleat status`.
struct StatusCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the state of the service, or what configures the network.",
        usage: "cleat status [<options>] [network]",
        discussion: """
            The exit status is 11 if a change could not be reverted completely. With `network` the service that \
            configures interfaces is shown, and the file or the profile of each interface.

            Examples:
              cleat status
              cleat status --counters
              cleat status network
              cleat -H root@board status --output json
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Show counters since startup, too: events, hooks, losses.")
    var counters = false

    @Argument(help: "The part to show: network.", completion: .list(["network"]))
    var part: String?

    func validate() throws {
        guard let part else { return }
        guard part == "network" else {
            throw ValidationError("“\(part)” is no part of the status: write network, or nothing")
        }
        if counters { throw ValidationError("--counters are those of the service: omit network") }
    }

    var request: any ServiceRequest {
        part == nil ? ServiceQuestion.status(counters: counters) : NetworkStatusRequest()
    }
}

/// The request of `cleat status network`.
struct NetworkStatusRequest: ServiceRequest {
    func run(in context: CommandContext) throws(CommandError) {
        try context.console.show(
            NetworkStatusView(reply: try context.session().call(SystemInterface.Network.self, .init())))
    }
}

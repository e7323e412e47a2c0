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
            configures interfaces is shown, and the file or the profile of each interface. With `--flash` that is \
            what the service writes to the storage, and an estimate of its wear: each flush counts as 16 KiB, the \
            device writes twice as much, and its cells last 500 cycles (SD) or 3,000 (MMC).

            Examples:
              cleat status
              cleat status --counters
              cleat status --flash
              cleat status network
              cleat -H root@board status --output json
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Show counters since startup, too: events, hooks, losses.")
    var counters = false

    @Flag(help: "Show what is written to the storage device, and its wear.")
    var flash = false

    @Argument(help: "The part to show: network.", completion: .list(["network"]))
    var part: String?

    func validate() throws {
        if flash, counters || part != nil { throw ValidationError("--flash is used alone: run `cleat status --flash`") }
        guard let part else { return }
        guard part == "network" else {
            throw ValidationError("“\(part)” is no part of the status: write network, or nothing")
        }
        if counters { throw ValidationError("--counters are those of the service: omit network") }
    }

    var request: any ServiceRequest {
        if flash { return FlashRequest() }
        return part == nil ? ServiceQuestion.status(counters: counters) : NetworkStatusRequest()
    }
}

/// The request of `cleat status network`.
struct NetworkStatusRequest: ServiceRequest {
    func run(in context: CommandContext) throws(CommandError) {
        try context.console.show(
            NetworkStatusView(reply: try context.session().call(SystemInterface.Network.self, .init())))
    }
}

/// The request of `cleat status --flash`.
struct FlashRequest: ServiceRequest {
    func run(in context: CommandContext) throws(CommandError) {
        try context.console.show(FlashView(reply: try context.session().call(ServiceInterface.Flash.self, .init())))
    }
}

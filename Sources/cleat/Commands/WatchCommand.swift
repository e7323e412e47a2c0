import ArgumentParser
import CleatAPI

/// `cleat watch`.
struct WatchCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Follow settings as they change.",
        usage: "cleat watch [<options>] [<path> ...]",
        discussion: """
            The present values come first, then every change; each is one line and is written at once. With --output \
            json, too, each commit is one line.

            Examples:
              cleat watch
              cleat watch system time/ntp
              cleat watch network --no-initial --output json-lines
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Omit the present values.")
    var noInitial = false

    @Option(
        name: [.customShort("n"), .long], help: .init("End after this number of commits.", valueName: "number"))
    var count: Int?

    @Argument(help: "The paths of settings.", completion: .custom(SettingPathCompletion.paths))
    var paths: [String] = []

    func validate() throws {
        if let count, count < 1 { throw ValidationError("--count must be at least 1") }
    }

    var request: any ServiceRequest { WatchRequest(noInitial: noInitial, count: count, paths: paths) }
}

/// The request of `cleat watch`.
struct WatchRequest: ServiceRequest {
    let noInitial: Bool
    let count: Int?
    let paths: [String]

    func run(in context: CommandContext) throws(CommandError) {
        var seen = 0
        try context.session().stream(
            SettingsInterface.Watch.self, .init(prefixes: paths)
        ) { (reply) throws(CommandError) in
            if reply.initial && noInitial && reply.lost == nil { return true }
            try context.console.showItem(WatchView(reply: reply))
            if !reply.initial { seen += 1 }
            return count.map { seen < $0 } ?? true
        }
    }
}

extension WatchRequest {
    /// Takes the words of the command.
    init(_ words: inout CommandWords) {
        noInitial = words.flag("--no-initial")
        count = words.positive("--count", "-n")
        paths = words.operands()
    }
}

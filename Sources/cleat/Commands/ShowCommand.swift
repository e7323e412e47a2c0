import ArgumentParser
import CleatAPI
import CleatViews

/// `cleat show`.
struct ShowCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one generation: its author, time, reason and changes.",
        usage: "cleat show [<options>] [<generation> | <id>]",
        discussion: """
            Without a number, the last generation; with the id of a change, its generation.

            Examples:
              cleat show
              cleat show 12 --output json
              cleat show rename-1
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: .init("The generation, or the id of its change.", valueName: "generation"))
    var wanted: String?

    var request: any ServiceRequest { ShowRequest(wanted: wanted) }
}

/// The request of `cleat show`.
struct ShowRequest: ServiceRequest {
    let wanted: String?

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session()
        let generation = wanted.flatMap { Int64($0) }
        if let wanted, generation == nil { return try show(id: wanted, session, context) }
        if let generation, generation < 1 || generation == .max { throw Self.missing(generation) }
        let page = try session.call(
            SettingsInterface.Log.self, .init(before: generation.map { $0 + 1 }, limit: 1))
        guard let found = page.generations.first, generation == nil || found.number == generation else {
            throw Self.missing(generation ?? 0, isEmpty: generation == nil)
        }
        try context.console.show(GenerationView(store: page.store, generation: found))
    }

    private func show(id: String, _ session: Session, _ context: CommandContext) throws(CommandError) {
        let page = try session.call(SettingsInterface.Log.self, .init(id: id))
        guard let found = page.generations.first else {
            throw CommandError(
                status: .invalid, layer: .lookup, code: "NoChange",
                message: "no change with the id \(id.printable) is in the history",
                remedy: "it was not made, or is older than the history; see `cleat log`")
        }
        try context.console.show(GenerationView(store: page.store, generation: found))
    }

    private static func missing(_ number: Int64, isEmpty: Bool = false) -> CommandError {
        CommandError(
            .unknownGeneration(
                generation: number,
                message: isEmpty
                    ? "nothing was ever committed, so there is no generation to show"
                    : "the history has no generation \(number), or no longer; see 'cleat log'"))
    }
}

extension ShowRequest {
    /// Takes the words of the command.
    init(_ words: inout CommandWords) {
        wanted = words.operand()
    }
}

import ArgumentParser
import CleatAPI

/// `cleat show`.
struct ShowCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one generation: who made it, when, why, and what it changed.",
        usage: "cleat show [<options>] [<generation>]",
        discussion: """
            Without a number, the last one.

            Examples:
              cleat show
              cleat show 12 --output json
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The generation.")
    var generation: Int64?

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session()
        if let generation, generation < 1 || generation == .max { throw Self.missing(generation) }
        let page = try session.call(
            SettingsInterface.Log.self, .init(before: generation.map { $0 + 1 }, limit: 1))
        guard let found = page.generations.first, generation == nil || found.number == generation else {
            throw Self.missing(generation ?? 0, isEmpty: generation == nil)
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

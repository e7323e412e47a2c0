import ArgumentParser
import CleatAPI

/// `cleat log`.
struct LogCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "log",
        abstract: "Show the changes and their authors, the newest first.",
        usage: "cleat log [<options>]",
        discussion: """
            A question mark after a time means that the board's clock was not synchronised then.

            Examples:
              cleat log
              cleat log --limit 100 --before 42
            """)

    @OptionGroup var options: GlobalOptions

    @Option(name: [.customShort("n"), .long], help: "The number of generations.")
    var limit: Int = ServiceQuestion.logLimit

    @Option(help: .init("Show only generations before this one.", valueName: "generation"))
    var before: Int64?

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit must be at least 1") }
    }

    var request: any ServiceRequest { ServiceQuestion.log(limit: limit, before: before) }
}

import ArgumentParser
import CleatAPI

/// `cleat diff`.
struct DiffCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Show the differences between two generations.",
        usage: "cleat diff [<options>] [<from>] [<to>]",
        discussion: """
            Without arguments, the changes of the last generation; with one, the changes since that generation.

            Examples:
              cleat diff
              cleat diff 12
              cleat diff 12 15
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The older generation.")
    var from: Int64?

    @Argument(help: "The newer generation.")
    var to: Int64?

    var request: any ServiceRequest { ServiceQuestion.diff(from: from, to: to) }
}

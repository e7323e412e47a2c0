import ArgumentParser
import CleatAPI
import SystemPackage

/// `cleat file cat`.
struct FileCatCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "cat",
        abstract: "Print files of the board.",
        usage: "cleat file cat [<options>] <area/path> ...",
        discussion: """
            On a terminal, control characters are escaped; elsewhere the bytes are printed unchanged.

            Examples:
              cleat file cat documents/notes.txt
              cleat -H root@board file cat documents/log.gz | zcat
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(
        help: .init("Paths on the board.", valueName: "area/path"), completion: .custom(FileTargetCompletion.places))
    var targets: [String]

    var request: any ServiceRequest { FileCatRequest(targets: targets) }
}

/// The request of `cleat file cat`.
struct FileCatRequest: ServiceRequest {
    let targets: [String]

    func run(in context: CommandContext) throws(CommandError) {
        var places: [FileTarget] = []
        for target in targets { places.append(try FileTarget(target)) }
        let session = try context.session()
        let get = FileGet(session: session, progress: TransferProgress(isShown: false))
        for place in places {
            guard case .stream(let sink, let name) = try LocalDestination("-", for: "-") else { continue }
            if sink.isTerminal {
                let shown = TerminalSink(console: context.console)
                _ = try get.fetch(place, into: shown, named: name)
            } else {
                _ = try get.fetch(place, into: sink, named: name)
            }
        }
    }
}

extension FileCatRequest {
    /// Takes the words of the command.
    init(_ words: inout CommandWords) {
        targets = words.operands()
        if targets.isEmpty { words.leave() }
    }
}

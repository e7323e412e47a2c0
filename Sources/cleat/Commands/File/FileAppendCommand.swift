import ArgumentParser
import CleatAPI

/// `cleat file append`.
struct FileAppendCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "append",
        abstract: "Append standard input, or a local file, to a file of the board.",
        usage: "cleat file append [<options>] <area/path>",
        discussion: """
            A missing file is created. The bytes are appended in pieces of at most 512 KiB, each whole or not at all, \
            and are on the disk when the command returns. If the service restarts meanwhile, the command continues. If \
            a piece is refused, the error has the number of appended bytes.

            Examples:
              cleat file append --file today.log library/all.log
              date | cleat file append documents/log.txt
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: .init("The local file; - is standard input.", valueName: "file"), completion: .file())
    var file: String = "-"

    @Argument(
        help: .init("A path on the board.", valueName: "area/path"), completion: .custom(FileTargetCompletion.places))
    var target: String

    func run(in context: CommandContext) throws(CommandError) {
        let target = try FileTarget(target)
        let source = try LocalSource(path: file)
        let size = try FileAppend(board: context.changeSession().board, target: target).send(source)
        try context.console.show(FileAppendView(target: target, appended: source.size, size: size))
    }
}

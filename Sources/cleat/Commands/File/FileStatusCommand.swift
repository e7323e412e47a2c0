import ArgumentParser
import CleatAPI

/// `cleat file stat`.
struct FileStatusCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "stat",
        abstract: "Show the status of a file of the board.",
        usage: "cleat file stat [<options>] <area/path>",
        discussion: """
            Examples:
              cleat file stat documents/certs/ca.pem
              cleat file stat --sha256 library/firmware.img
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(name: .customLong("sha256"), help: "Compute the file's SHA-256 on the board, too.")
    var digest = false

    @Argument(
        help: .init("A path on the board.", valueName: "area/path"), completion: .custom(FileTargetCompletion.places))
    var target: String

    func run(in context: CommandContext) throws(CommandError) {
        let target = try FileTarget(target)
        let session = try context.session()
        let found = try session.call(FilesInterface.Stat.self, target.place)
        var view = FileStatusView(area: target.area, entry: found.entry, token: found.token)
        if digest {
            view.sha256 = try session.call(
                FilesInterface.Hash.self, .init(area: target.area, path: target.path, token: found.token)
            ).sha256
        }
        try context.console.show(view)
    }
}

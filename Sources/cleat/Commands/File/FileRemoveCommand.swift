import ArgumentParser
import CleatAPI

/// `cleat file rm`.
struct FileRemoveCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove files and directories of the board.",
        usage: "cleat file rm [<options>] <area/path> ...",
        discussion: """
            A directory that is not empty is removed only with -r.

            Examples:
              cleat file rm documents/certs/old.pem
              cleat file rm -r temporary/build inbox/done
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(name: .shortAndLong, help: "Remove directories with all their contents.")
    var recursive = false

    @Argument(
        help: .init("Paths on the board.", valueName: "area/path"), completion: .custom(FileTargetCompletion.places))
    var targets: [String]

    func run(in context: CommandContext) throws(CommandError) {
        var places: [FileTarget] = []
        for target in targets { places.append(try FileTarget(target)) }
        let session = try context.session()
        var view = FileRemovalView(removed: [])
        for place in places {
            _ = try session.call(
                FilesInterface.Remove.self,
                .init(area: place.area, path: place.path, recursive: recursive ? true : nil))
            view.removed.append(place.description)
        }
        try context.console.show(view)
    }
}

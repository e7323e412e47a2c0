import ArgumentParser
import CleatAPI

/// `cleat file mkdir`.
struct FileMakeDirectoryCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "mkdir",
        abstract: "Make a directory on the board.",
        usage: "cleat file mkdir [<options>] <area/path>",
        discussion: """
            Examples:
              cleat file mkdir documents/certs
              cleat file mkdir -p library/site/2026/assets
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(name: .shortAndLong, help: "Make missing parents, too; an existing directory is not an error.")
    var parents = false

    @Argument(
        help: .init("A path on the board.", valueName: "area/path"), completion: .custom(FileTargetCompletion.places))
    var target: String

    func run(in context: CommandContext) throws(CommandError) {
        let target = try FileTarget(target)
        let entry = try context.session().call(
            FilesInterface.MakeDirectory.self,
            .init(area: target.area, path: target.path, parents: parents ? true : nil)
        ).entry
        try context.console.show(FileChangeView(area: target.area, entry: entry))
    }
}

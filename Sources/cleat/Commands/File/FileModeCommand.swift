import ArgumentParser
import CleatAPI
import CleatViews

/// `cleat file chmod`.
struct FileModeCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "chmod",
        abstract: "Set the permissions of a file of the board.",
        usage: "cleat file chmod [<options>] <mode> <area/path>",
        discussion: """
            The mode is 0000 to 0777, in octal digits. The permissions are on the disk when the command returns.

            Examples:
              cleat file chmod 0600 documents/certs/key.pem
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The permissions, in octal digits.")
    var mode: String

    @Argument(
        help: .init("A path on the board.", valueName: "area/path"), completion: .custom(FileTargetCompletion.places))
    var target: String

    func validate() throws {
        if let problem = Self.problem(of: mode) { throw ValidationError(problem) }
    }

    func run(in context: CommandContext) throws(CommandError) {
        let target = try FileTarget(target)
        let entry = try context.session().call(
            FilesInterface.SetMode.self, .init(area: target.area, path: target.path, mode: mode)
        ).entry
        try context.console.show(FileChangeView(area: target.area, entry: entry))
    }

    /// Returns the reason why a text is not a mode that a file can have, with the remedy; nil if it is one.
    static func problem(of text: String) -> String? {
        guard APILimits.permissions(text) == nil else { return nil }
        let bits = UInt16(text, radix: 8) ?? 0
        let names = [(0o4000, "setuid"), (0o2000, "setgid"), (0o1000, "sticky")].filter { bits & $0.0 != 0 }.map(\.1)
        return "\(text.printable): "
            + (bits > 0o7777 || names.isEmpty
                ? "give three or four octal digits, such as 0644"
                : "\(names.joined(separator: ", ")) cannot be set; give 0000 to 0777")
    }
}

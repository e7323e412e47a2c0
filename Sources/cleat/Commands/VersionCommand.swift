import ArgumentParser
import CleatAPI
import CleatJSON
import CleatViews

/// `cleat version`.
struct VersionCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Show the versions of this program and of the service.",
        usage: "cleat version [<options>] [--json]",
        discussion: """
            The exit status is 0 even if the service cannot be reached: its version is absent (null in JSON) then. \
            `cleat --version` prints the version of this program only.

            Examples:
              cleat version
              cleat -H root@board version --json
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "Print JSON, as --output json does.")
    var json = false

    func run(in context: CommandContext) throws(CommandError) {
        var view = VersionView(client: CleatVersion.text)
        do {
            view.service = try context.session().status(counters: false).version
        } catch {
            view.problem = error.message
        }
        let console = json ? Console(form: .json) : context.console
        try console.show(view)
    }
}

/// Prints versions: the output of `cleat version`.
struct VersionView: TextPresentable, JSONPresentable {
    /// The version of this program.
    var client: String
    /// The version of the service; nil if it cannot be reached.
    var service: String?
    /// The reason for that.
    var problem: String?

    func write(to page: inout TextPage) {
        page.line(.init("cleat   ", .faint), TextSpan(client, .plain))
        page.line(
            .init("cleatd  ", .faint),
            service.map { TextSpan($0, .plain) } ?? TextSpan("unknown: \(problem ?? "")", .bad))
    }

    var json: JSONValue {
        .object(["cleat": .string(client), "cleatd": service.map { .string($0) } ?? .null])
    }
}

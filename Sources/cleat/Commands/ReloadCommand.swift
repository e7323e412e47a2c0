import ArgumentParser
import CleatAPI
import CleatJSON

/// `cleat reload`.
struct ReloadCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "reload",
        abstract: "Reload the board's files.",
        usage: "cleat reload [<options>]",
        discussion: """
            The service reads its configuration, schemas, defaults, factory data, locks, hooks and probes again, and \
            applies what follows from them. A file with an error is refused, and its former contents stay in force; \
            the exit status is 1 then. Only root and the service's own user may do it.

            Examples:
              cleat reload
              cleat -H root@board reload
            """)

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(SettingsInterface.Reload.self, .init())
        let view = FindingsView(
            findings: reply.findings, omitted: reply.omitted ?? 0, none: "reloaded; every file is in force",
            json: JSONValue(showing: reply))
        try context.console.show(view)
        if !view.isEmpty { throw .alreadyReported(.failure) }
    }
}

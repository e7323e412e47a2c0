import ArgumentParser
import CleatAPI

/// `cleat drift`.
struct DriftCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "drift",
        abstract: "Say what was changed outside of what the service has written.",
        usage: "cleat drift [<options>]",
        discussion: """
            Files, links and values of the kernel that are not what the service wrote last, with the setting behind \
            each. They stay as they are until `cleat reapply` or `cleat adopt` is asked for; at a start, too, where only \
            missing files are written and, after a boot, values of the kernel. Ends with 0 where there is nothing, \
            else with 1.

            Examples:
              cleat drift
              cleat drift --output json-lines
            """)

    @OptionGroup var options: GlobalOptions

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(SystemInterface.Drift.self, .init())
        try context.console.show(DriftView(drift: reply.drift, failures: reply.failures))
        if !reply.drift.isEmpty || !reply.failures.isEmpty { throw .alreadyTold(.failure) }
    }
}

import ArgumentParser
import CleatAPI

/// `cleat hook test`.
struct HookTestCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Show what a hook would do on an invented event; nothing is run.",
        usage: "cleat hook test [<options>] <name>",
        discussion: """
            Shows which patterns match, and the program with its environment. Unset parts of the event are taken from \
            the hook's patterns. The exit status is 1 if the hook would not run.

            Examples:
              cleat hook test usb-stick
              cleat hook test usb-stick --action add --property ID_FS_TYPE=vfat
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var event: HookEventOptions

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(HooksInterface.Test.self, try event.parameters())
        try context.console.show(HookTestView(reply: reply))
        if let refused = reply.refused {
            throw CommandError(
                status: .failure, layer: .apply, code: "HookRefused",
                message: "the hook \(event.name) would not be started: \(refused)")
        }
        guard reply.matches else { throw Self.noMatch(event.name, reply.clauses) }
    }
}

extension HookTestCommand {
    /// Returns the error that lists the patterns of a hook that an event does not match.
    static func noMatch(_ hook: String, _ clauses: [HookClause], remedy: String? = nil) -> CommandError {
        let missed = clauses.filter { !$0.matches }.map { clause in
            clause.value.map { "\(clause.name) \"\($0)\" is not \(clause.pattern)" }
                ?? "the event has no \(clause.name), which must match \(clause.pattern)"
        }
        return CommandError(
            status: .failure, layer: .apply, code: "NoMatch",
            message: "the hook \(hook) does not match: \(missed.joined(separator: "; "))", remedy: remedy)
    }
}

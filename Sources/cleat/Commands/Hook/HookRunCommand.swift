import ArgumentParser
import CleatAPI

/// `cleat hook run`.
struct HookRunCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run a hook now on an invented event.",
        usage: "cleat hook run [<options>] <name>",
        discussion: """
            The program is run as the service's user if the hook matches the event. Unset parts of the event are \
            taken from the hook's patterns. The exit status is 1 if the program fails or is not run. Only root and \
            the service's own user may do this; `cleat hook test` shows what would run.

            Examples:
              cleat hook run usb-stick
              cleat hook run usb-stick --action remove --force
            """)

    @OptionGroup var options: GlobalOptions
    @OptionGroup var event: HookEventOptions

    @Flag(help: "Run it even if it does not match.")
    var force = false

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(
            HooksInterface.Run.self, try event.parameters(force: force ? true : nil))
        guard let run = reply.run else {
            throw HookTestCommand.noMatch(
                event.name, reply.clauses, remedy: "it was not run; `--force` runs it nevertheless")
        }
        try context.console.show(HookRunView(reply: reply))
        guard run.succeeded else {
            throw CommandError(
                status: .failure, layer: .apply, code: "HookFailed",
                message: "the hook \(event.name) failed: \(run.outcome)")
        }
    }
}

/// `cleat hook list`.
struct HookListCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the hooks, their last results, and refused files.",
        usage: "cleat hook list [<options>]",
        discussion: """
            Examples:
              cleat hook list
              cleat hook list --output json
            """)

    @OptionGroup var options: GlobalOptions

    var request: any ServiceRequest { ServiceQuestion.hooks }
}

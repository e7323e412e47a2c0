import ArgumentParser
import CleatAPI

/// `cleat hook test`.
struct HookTestCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "test",
        abstract: "Run a hook now on a made-up event.",
        usage: "cleat hook test [<options>] <name>",
        discussion: """
            The program really runs, as the service's user. The exit status is 1 where the program fails. Only root \
            and the service's own user may do this.

            Examples:
              cleat hook test usb-stick
              cleat hook test usb-stick --action add --property ID_FS_TYPE=vfat
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: "The event's source.")
    var source: EventSource?

    @Option(help: "The event's action.")
    var action: String?

    @Option(help: "The event's subject.")
    var subject: String?

    @Option(help: .init("A property of the event; may be repeated.", valueName: "name=value"))
    var property: [String] = []

    @Argument(help: "The name of the hook.")
    var name: String

    func run(in context: CommandContext) throws(CommandError) {
        var properties: [String: String] = [:]
        for text in property {
            guard let pair = Assignment(text) else {
                throw .usage("--property \(text) is no name=value", remedy: "write --property NAME=VALUE")
            }
            properties[pair.path] = pair.text
        }
        let reply = try context.session().call(
            HooksInterface.Test.self,
            .init(
                name: name, source: source?.rawValue, action: action, subject: subject,
                properties: properties.isEmpty ? nil : properties))
        try context.console.show(HookRunView(reply: reply))
        guard reply.run.succeeded else {
            throw CommandError(
                status: .failure, layer: .apply, code: "HookFailed",
                message: "the hook \(name) failed: \(reply.run.outcome)")
        }
    }
}

import ArgumentParser
import CleatAPI

/// `cleat adopt`.
struct AdoptCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Take over what was changed outside, as a change of settings.",
        usage: "cleat adopt [<options>] (--all | <name> …)",
        discussion: """
            The host name, the time zone, kernel parameters, attributes of devices and LEDs become settings. A file that \
            is made of several settings cannot; with --as-is it is left as it is and no longer counts as changed, until \
            its settings change and it is written anew. Either all that is named is taken over, or nothing.

            Examples:
              cleat adopt hostname
              cleat adopt --as-is /etc/nginx/nginx.conf
            """)

    @OptionGroup var options: GlobalOptions

    @Flag(help: "All that `cleat drift` lists.")
    var all = false

    @Flag(help: "Leave as it is what cannot be told as a setting.")
    var asIs = false

    @Argument(help: "What `cleat drift` lists, by its name.")
    var names: [String] = []

    func validate() throws {
        if all != names.isEmpty { throw ValidationError("Name what is to be taken over, or give --all.") }
    }

    func run(in context: CommandContext) throws(CommandError) {
        let reply = try context.session().call(
            SystemInterface.Adopt.self, .init(names: all ? nil : names, asIs: asIs ? true : nil))
        try context.console.show(AdoptionView(reply: reply))
    }
}

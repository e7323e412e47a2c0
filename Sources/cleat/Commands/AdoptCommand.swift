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
            its settings change and it is written anew. Either all that is named is taken over, or nothing. What becomes \
            settings can be on trial.

            Examples:
              cleat adopt hostname
              cleat adopt --as-is /etc/nginx/nginx.conf
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: .init("Name the change on trial, so that it can be repeated safely.", valueName: "id"))
    var id: String?

    @Option(name: .shortAndLong, help: .init("Say why; it stands in the log.", valueName: "text"))
    var comment: String?

    @OptionGroup var trial: TrialOptions

    @Flag(help: "All that `cleat drift` lists.")
    var all = false

    @Flag(help: "Leave as it is what cannot be told as a setting.")
    var asIs = false

    @Argument(help: "What `cleat drift` lists, by its name.")
    var names: [String] = []

    func validate() throws {
        if id != nil || comment != nil, !trial.isAsked {
            throw ValidationError("--id and --comment are about --confirm or --until")
        }
        if asIs, trial.isAsked { throw ValidationError("what is left as it is cannot be on trial; leave out one") }
        if all != names.isEmpty { throw ValidationError("Name what is to be taken over, or give --all.") }
    }

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session(for: trial)
        let id = trial.isAsked ? self.id ?? Session.makeID() : nil
        let reply = try session.change(
            SystemInterface.Adopt.self,
            .init(
                names: all ? nil : names, asIs: asIs ? true : nil, id: id, comment: comment,
                confirm: trial.window?.milliseconds, until: trial.until), id: id, trial)
        try context.console.show(AdoptionView(reply: reply))
        if let id = reply.id, let state = reply.state { try trial.follow(id, state, session, context.console) }
    }
}

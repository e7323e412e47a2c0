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

    @OptionGroup var outside: OutsideOptions

    @Flag(help: "Keep edits that no setting can express.")
    var asIs = false

    func validate() throws {
        if asIs, outside.trial.isAsked {
            throw ValidationError("what is left as it is cannot be on trial; leave out one")
        }
    }

    func run(in context: CommandContext) throws(CommandError) {
        let (trial, id) = (outside.trial, outside.changeID)
        let session = try context.session(for: trial)
        let reply = try session.change(
            SystemInterface.Adopt.self,
            .init(
                names: outside.chosen, asIs: asIs ? true : nil, id: id, comment: outside.comment,
                confirm: trial.window?.milliseconds, until: trial.until), id: id, trial)
        try context.console.show(AdoptionView(reply: reply))
        if let id = reply.id, let state = reply.state { try trial.follow(id, state, session, context.console) }
    }
}

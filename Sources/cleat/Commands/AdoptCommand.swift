import ArgumentParser
import CleatAPI

/// `cleat adopt`.
struct AdoptCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "adopt",
        abstract: "Adopt outside edits as a change of settings.",
        usage: "cleat adopt [<options>] (--all | <name> …)",
        discussion: """
            The host name, the time zone, kernel parameters, attributes of devices and LEDs become settings. A file \
            that is made of several settings cannot be adopted; with --as-is the edit is kept and no longer reported, \
            until the file's settings change and it is written again. interface:<name> adopts the profile by which \
            NetworkManager configures an interface, so that Cleat configures it from then on. Either everything that \
            is named is adopted, or nothing. Edits that become settings can be on trial.

            Examples:
              cleat adopt hostname
              cleat adopt --as-is /etc/nginx/nginx.conf
              cleat adopt interface:eth0
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @OptionGroup var outside: OutsideOptions

    @Flag(help: "Keep edits that no setting can express.")
    var asIs = false

    func validate() throws {
        if asIs, outside.trial.isAsked {
            throw ValidationError("--as-is makes no change that could be on trial: omit one of them")
        }
    }

    func run(in context: CommandContext) throws(CommandError) {
        let (trial, id) = (outside.trial, outside.changeID)
        let session = try context.changeSession(for: trial)
        let reply = try session.change(
            SystemInterface.Adopt.self,
            .init(
                names: outside.chosen, asIs: asIs ? true : nil, id: id, comment: outside.comment,
                confirm: trial.window?.milliseconds, until: trial.until), id: id, isOnTrial: trial.isAsked,
            window: trial.window?.milliseconds)
        try context.console.show(AdoptionView(reply: reply))
        if let id = reply.id, let state = reply.state { try trial.follow(id, state, session, context.console) }
    }
}

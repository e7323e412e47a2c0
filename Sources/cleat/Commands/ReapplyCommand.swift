import ArgumentParser
import CleatAPI

/// `cleat reapply`.
struct ReapplyCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "reapply",
        abstract: "Write what the settings say in the place of what was changed outside.",
        usage: "cleat reapply [<options>] (--all | <name> …)",
        discussion: """
            What fails is told, and is as it was before. Ends with 1 where something is left. With --confirm or --until it is \
            a change on trial, as with `cleat set`: all of it is written, or nothing, and unless it is kept, what was \
            changed outside comes back.

            Examples:
              cleat reapply /etc/hostname
              cleat reapply --all
              cleat reapply --all --confirm 2m --wait
            """)

    @OptionGroup var options: GlobalOptions

    @Option(help: .init("Name the change on trial, so that it can be repeated safely.", valueName: "id"))
    var id: String?

    @Option(name: .shortAndLong, help: .init("Say why; it stands in the log.", valueName: "text"))
    var comment: String?

    @OptionGroup var trial: TrialOptions

    @Flag(help: "All that `cleat drift` lists.")
    var all = false

    @Argument(help: "What `cleat drift` lists, by its name.")
    var names: [String] = []

    func validate() throws {
        if id != nil || comment != nil, !trial.isAsked {
            throw ValidationError("--id and --comment are about --confirm or --until")
        }
        if all != names.isEmpty { throw ValidationError("Name what is to be written anew, or give --all.") }
    }

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session(for: trial)
        let id = trial.isAsked ? self.id ?? Session.makeID() : nil
        let reply = try session.change(
            SystemInterface.Reapply.self,
            .init(
                names: all ? nil : names, id: id, comment: comment, confirm: trial.window?.milliseconds,
                until: trial.until), id: id, trial)
        try context.console.show(RepairView(reply: reply))
        if reply.results.contains(where: { $0.state == .failed }) { throw .alreadyTold(.failure) }
        if let id = reply.id, let state = reply.state { try trial.follow(id, state, session, context.console) }
    }
}

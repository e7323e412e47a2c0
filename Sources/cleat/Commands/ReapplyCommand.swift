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

    @OptionGroup var outside: OutsideOptions

    func run(in context: CommandContext) throws(CommandError) {
        let (trial, id) = (outside.trial, outside.changeID)
        let session = try context.session(for: trial)
        let reply = try session.change(
            SystemInterface.Reapply.self,
            .init(
                names: outside.chosen, id: id, comment: outside.comment, confirm: trial.window?.milliseconds,
                until: trial.until), id: id, trial)
        try context.console.show(RepairView(reply: reply))
        let isLeft = reply.drift.contains { drift in outside.chosen?.contains(drift.name) ?? true }
        if reply.results.contains(where: { $0.state == .failed }) || isLeft && reply.state == nil {
            throw .alreadyTold(.failure)
        }
        if let id = reply.id, let state = reply.state { try trial.follow(id, state, session, context.console) }
    }
}

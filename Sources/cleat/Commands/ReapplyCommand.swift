import ArgumentParser
import CleatAPI

/// `cleat reapply`.
struct ReapplyCommand: ChangeCommand {
    static let configuration = CommandConfiguration(
        commandName: "reapply",
        abstract: "Write the settings over outside edits.",
        usage: "cleat reapply [<options>] (--all | <name> …)",
        discussion: """
            A failure is reported, and its resource is restored. The exit status is 1 if anything still differs. With \
            --confirm or --until it is a change on trial, as with `cleat set`: everything is written, or nothing, and \
            unless it is confirmed, the outside edits are restored.

            Examples:
              cleat reapply /etc/hostname
              cleat reapply --all
              cleat reapply --all --confirm 2m --wait
            """)

    @OptionGroup var options: GlobalOptions

    @OptionGroup var result: ResultOptions

    @OptionGroup var outside: OutsideOptions

    func run(in context: CommandContext) throws(CommandError) {
        let (trial, id) = (outside.trial, outside.changeID)
        let session = try context.changeSession(for: trial)
        let reply = try session.change(
            SystemInterface.Reapply.self,
            .init(
                names: outside.chosen, id: id, comment: outside.comment, confirm: trial.window?.milliseconds,
                until: trial.until), id: id, isOnTrial: trial.isAsked,
            window: trial.window?.milliseconds)
        try context.console.show(RepairView(reply: reply))
        let isLeft = reply.drift.contains { drift in outside.chosen?.contains(drift.name) ?? true }
        if reply.results.contains(where: { $0.state == .failed }) || isLeft && reply.state == nil {
            throw .alreadyReported(.failure)
        }
        if let id = reply.id, let state = reply.state { try trial.follow(id, state, session, context.console) }
    }
}

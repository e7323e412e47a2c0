import ArgumentParser
import CleatAPI

/// `cleat snapshot show`.
struct SnapshotShowCommand: ServiceCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show what a snapshot holds, and check that all of it is whole.",
        usage: "cleat snapshot show [<options>] <name>",
        discussion: """
            Examples:
              cleat snapshot show factory
              cleat snapshot show factory --output json
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The snapshot.")
    var name: String

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session()
        let first = try session.call(SnapshotsInterface.Show.self, .init(name: name))
        var view = SnapshotContentView(reply: first)
        while let next = view.reply.next {
            let page = try session.call(SnapshotsInterface.Show.self, .init(name: name, offset: next))
            guard page.snapshot == first.snapshot, page.next.map({ $0 > next }) ?? true else {
                throw CommandError(
                    status: .conflict, layer: .store, code: "Reply",
                    message: "the snapshot “\(name)” has changed while it was read", remedy: "do it again")
            }
            view.reply.settings += page.settings
            view.reply.resources += page.resources
            view.reply.next = page.next
        }
        try context.console.show(view)
    }
}

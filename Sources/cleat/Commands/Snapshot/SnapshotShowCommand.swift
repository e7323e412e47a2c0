import ArgumentParser
import CleatAPI

/// `cleat snapshot show`.
struct SnapshotShowCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show the contents of a snapshot, and check that they are intact.",
        usage: "cleat snapshot show [<options>] <name>",
        discussion: """
            Examples:
              cleat snapshot show factory
              cleat snapshot show factory --output json
            """)

    @OptionGroup var options: GlobalOptions

    @Argument(help: "The snapshot.")
    var name: String

    var request: any ServiceRequest { SnapshotShowRequest(name: name) }
}

/// The request of `cleat snapshot show`.
struct SnapshotShowRequest: ServiceRequest {
    let name: String

    func run(in context: CommandContext) throws(CommandError) {
        let session = try context.session()
        let first = try session.call(SnapshotsInterface.Show.self, .init(name: name))
        var view = SnapshotContentView(reply: first)
        while let next = view.reply.next {
            let page = try session.call(SnapshotsInterface.Show.self, .init(name: name, offset: next))
            guard page.snapshot == first.snapshot, page.next.map({ $0 > next }) ?? true else {
                throw CommandError(
                    status: .conflict, layer: .store, code: "Reply",
                    message: "the snapshot “\(name)” has changed while it was read", remedy: "try again")
            }
            view.reply.settings += page.settings
            view.reply.resources += page.resources
            view.reply.next = page.next
        }
        try context.console.show(view)
    }
}

extension SnapshotShowRequest {
    /// Takes the words of the command.
    init(_ words: inout CommandWords) {
        name = words.requiredOperand()
    }
}

/// `cleat snapshot list`.
struct SnapshotListCommand: RequestCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the snapshots and their sizes.",
        usage: "cleat snapshot list [<options>]",
        discussion: """
            OWN is the space that deleting the snapshot would free: the contents that no other snapshot has.

            Examples:
              cleat snapshot list
              cleat snapshot list --output json
            """)

    @OptionGroup var options: GlobalOptions

    var request: any ServiceRequest { ServiceQuestion.snapshots }
}

import CleatAPI
import CleatViews

/// A change of the list of snapshots.
enum SnapshotChange: ServiceRequest {
    case create(name: String, comment: String? = nil)
    case delete(name: String)

    /// Makes the change, and prints the result.
    func run(in context: CommandContext) throws(CommandError) {
        switch self {
        case .create(let name, let comment):
            let reply = try context.session().call(SnapshotsInterface.Create.self, .init(name: name, comment: comment))
            try context.console.show(SnapshotView(snapshot: reply.snapshot))
        case .delete(let name):
            let reply = try context.session().call(SnapshotsInterface.Delete.self, .init(name: name))
            try context.console.show(
                NoteView(note: "deleted “\(name)”; \(reply.freed.shownBytes) are free again", state: "deleted"))
        }
    }
}

import CleatAPI
import CleatJSON

/// Prints the result of a restore: the output of `cleat snapshot restore`.
struct SnapshotRestoreView: TextPresentable, JSONPresentable {
    var reply: SnapshotsInterface.Restore.Reply
    var broughtFiles: Bool

    func write(to page: inout TextPage) {
        for file in reply.files ?? [] { page.line([TextSpan("would be brought back: ")] + file.spans) }
        CommitView(reply: reply.change).write(to: &page)
        for resource in reply.differing {
            page.line(.init("\(resource) is not what it was in the snapshot", .bad))
        }
        if !reply.differing.isEmpty, !broughtFiles {
            page.line(.init("`--files` brings back what settings do not", .faint))
        }
        if let kept = reply.kept {
            page.line(.init("\(kept) settings and resources stay as they are: the export had left them out", .faint))
        }
    }

    var json: JSONValue { JSONValue(showing: reply) }
}

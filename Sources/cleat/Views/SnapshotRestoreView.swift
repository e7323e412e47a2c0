import CleatAPI
import CleatJSON

/// Shows what a restore did: what `cleat snapshot restore` prints.
struct SnapshotRestoreView: TextPresentable, JSONPresentable {
    var reply: SnapshotsInterface.Restore.Reply
    var broughtFiles: Bool

    /// Whether files were brought back without a change of settings.
    var didMore: Bool {
        reply.change.state == .unchanged && reply.change.results.contains { $0.state != .notApplied }
    }

    func write(to page: inout TextPage) {
        if didMore {
            page.line(.init("no setting differs; no generation was made", .faint))
            for result in reply.change.results {
                let name = result.state == .notApplied && result.adapter == "system" ? "" : "\(result.adapter): "
                page.line(.init("\(name)\(result.message)"))
            }
        } else {
            CommitView(reply: reply.change).write(to: &page)
        }
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

import CleatAPI
import CleatJSON

/// Prints the snapshots: the output of `cleat snapshot list`.
struct SnapshotListView: TablePresentable, JSONPresentable {
    var reply: SnapshotsInterface.List.Reply

    var columns: [String] { ["NAME", "GENERATION", "MADE", "BY", "SETTINGS", "RESOURCES", "SIZE", "OWN", "COMMENT"] }

    var rows: [[TextSpan]] {
        reply.snapshots.map { snapshot in
            [
                TextSpan(snapshot.name, snapshot.damage == nil ? .name : .bad), TextSpan("\(snapshot.generation)"),
                TextSpan(snapshot.time + (snapshot.synchronised ? "" : "?"), .faint), TextSpan(snapshot.author),
                TextSpan("\(snapshot.settings)"), TextSpan("\(snapshot.resources)"),
                TextSpan(snapshot.bytes.shownBytes), TextSpan(snapshot.ownBytes.shownBytes),
                TextSpan(snapshot.comment ?? ""),
            ]
        }
    }

    var emptyNote: String { "no snapshot; `cleat snapshot create NAME` makes one" }

    var notes: [TextSpan] {
        let damages = reply.snapshots.compactMap { snapshot in
            snapshot.damage.map { TextSpan("\(snapshot.name): \($0)", .bad) }
        }
        guard !reply.snapshots.isEmpty else { return damages }
        return damages + [
            TextSpan(
                "\(reply.snapshots.count) of \(reply.limit) snapshots, \(reply.bytes.shownBytes) of "
                    + "\(reply.limitBytes.shownBytes)", .faint)
        ]
    }

    var json: JSONValue { JSONValue(showing: reply) }

    var jsonLines: [JSONValue] { reply.snapshots.map { JSONValue(showing: $0) } }
}

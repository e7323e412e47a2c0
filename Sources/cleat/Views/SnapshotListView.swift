import CleatAPI
import CleatJSON
import CleatViews

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

/// Prints a new snapshot: the output of `cleat snapshot create` and `import`.
struct SnapshotView: TextPresentable, JSONPresentable {
    var snapshot: SnapshotInfo

    func write(to page: inout TextPage) {
        let settings = StatusView.count(snapshot.settings, "setting")
        let resources = StatusView.count(snapshot.resources, "resource")
        page.line(
            .init("snapshot "), .init(snapshot.name, .name),
            .init(" of generation \(snapshot.generation): \(settings), \(resources)"))
        page.line(.init("\(snapshot.ownBytes.shownBytes) of \(snapshot.bytes.shownBytes) are new", .faint))
    }

    var json: JSONValue { JSONValue(showing: snapshot) }
}

/// Prints the file of an exported snapshot: the output of `cleat snapshot export`.
struct SnapshotExportView: TextPresentable, JSONPresentable {
    var name: String
    var file: String
    var omitted: [String]

    func write(to page: inout TextPage) {
        page.line(.init("exported "), .init(name, .name), .init(" into \(file)"))
        for name in omitted { page.line(.init("omitted, as it may contain a secret: \(name)", .faint)) }
    }

    var json: JSONValue {
        ["name": .string(name), "file": .string(file), "omitted": .array(omitted.map { .string($0) })]
    }
}

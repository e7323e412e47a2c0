import CleatAPI
import CleatJSON

/// Prints a new snapshot: the output of `cleat snapshot create` and `import`.
struct SnapshotView: TextPresentable, JSONPresentable {
    var snapshot: SnapshotInfo

    func write(to page: inout TextPage) {
        page.line(
            .init("snapshot "), .init(snapshot.name, .name),
            .init(
                " of generation \(snapshot.generation): \(snapshot.settings) settings, \(snapshot.resources) resources")
        )
        page.line(.init("\(snapshot.ownBytes.shownBytes) of \(snapshot.bytes.shownBytes) are new", .faint))
    }

    var json: JSONValue { JSONValue(showing: snapshot) }
}

import CleatJSON
import CleatSettings
import CleatStore
import Testing

extension StoreFile {
    /// Makes a snapshot of the confirmed settings and of resources, whose mementos are texts.
    @discardableResult
    func take(_ name: String, _ resources: [String: String] = [:], secrets: Set<String> = []) throws -> StoredSnapshot {
        try #require(
            try take(
                name,
                resources.map { resource, text in
                    SnapshotRequest.Resource(
                        resource: resource, adapter: "file", isSecret: secrets.contains(resource),
                        state: .init(Array(text.utf8)))
                }))
    }

    /// Makes a snapshot of the confirmed settings and of resources; nil if an object is missing.
    func take(_ name: String, _ resources: [SnapshotRequest.Resource]) throws -> StoredSnapshot? {
        try outcome(name, resources).snapshot
    }

    /// Makes such a snapshot, or returns the objects that are missing.
    func outcome(_ name: String, _ resources: [SnapshotRequest.Resource]) throws -> SnapshotOutcome {
        try snapshots.create(
            SnapshotRequest(
                name: name, generation: generation, resources: resources, author: "tester", comment: "of \(name)",
                stamp: stamp))
    }

    /// All that snapshots hold, by their names.
    func snapshotViews() throws -> [String: SnapshotView] {
        var views: [String: SnapshotView] = [:]
        for snapshot in try snapshots.all() { views[snapshot.name] = try snapshotView(snapshot.name) }
        return views
    }

    /// All that a snapshot holds.
    func snapshotView(_ name: String) throws -> SnapshotView {
        let content = try snapshots.content(name)
        var resources: [String: String] = [:]
        for item in content.resources {
            resources[item.resource] = try snapshots.state(of: item, in: name).map {
                String(decoding: $0, as: UTF8.self)
            }
        }
        return SnapshotView(
            generation: content.snapshot.generation, settings: content.settings, resources: resources)
    }

    /// The objects that there are, and the bytes that their table says they have.
    func objects() throws -> (count: Int64, bytes: Int64) {
        let database = try #require(database)
        return (
            try database.value("SELECT count(*) FROM objects") ?? 0,
            try database.value("SELECT coalesce(sum(length(bytes)), 0) FROM objects") ?? 0
        )
    }
}

/// Holds all that one snapshot holds.
struct SnapshotView: Equatable {
    var generation: GenerationRef
    var settings: [SnapshotSetting]
    var resources: [String: String]
}

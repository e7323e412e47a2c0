import CleatAPI
import CleatIO
import CleatSettings
import CleatStore

extension SnapshotInfo {
    /// Describes a snapshot.
    init(_ snapshot: StoredSnapshot) {
        self.init(
            name: snapshot.name, store: snapshot.generation.store, generation: snapshot.generation.generation,
            time: WallTime(milliseconds: snapshot.stamp.time).description, synchronised: snapshot.stamp.synchronised,
            author: snapshot.author, importer: snapshot.importer, comment: snapshot.comment,
            settings: snapshot.settings,
            resources: snapshot.resources, bytes: snapshot.bytes, ownBytes: snapshot.ownBytes, damage: snapshot.damage)
    }
}

extension SnapshotResource {
    /// Describes a resource in a snapshot.
    ///
    /// If it may contain a secret the hash is omitted: it would allow guesses of the contents to be verified.
    init(_ item: SnapshotItem, isSecret: Bool) {
        self.init(
            resource: item.resource, adapter: item.adapter, size: item.size,
            sha256: isSecret ? nil : item.hash?.description, secret: isSecret)
    }
}

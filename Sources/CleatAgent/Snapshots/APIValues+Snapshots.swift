import CleatAPI
import CleatIO
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

extension SettingsEngine {
    /// Converts a failure of the store that is about snapshots into an error for the caller.
    nonisolated static func snapshotFailure(_ error: any Error) -> any Error {
        guard let error = error as? StoreError else { return error }
        let kind: SnapshotsError.Kind
        switch error.code {
        case .unknownSnapshot: kind = .unknownSnapshot
        case .exists: kind = .snapshotExists
        case .invalidName: kind = .invalidName
        case .limit: kind = .limitReached
        case .damaged: kind = .damagedObject
        default: return failure(error)
        }
        return APIError.snapshots(
            SnapshotsError(kind, String(error.subject.prefix(64)), message: error.description))
    }
}

import CleatAPI
import CleatIO
public import CleatJSON
public import CleatSettings

/// The snapshots of a board: its settings, and the state of the files and values of the system that follow them; see
/// ``Cleat/snapshots``.
///
/// ```swift
/// try await cleat.snapshots.create("before-update")
/// try await cleat.snapshots.restore("before-update", files: true)
/// ```
/// The captured state of the system stays in the service: a program sees names, sizes and hashes. In memory, a snapshot
/// has the settings alone.
public struct Snapshots: Sendable {
    /// A snapshot.
    public struct Info: Hashable, Sendable {
        /// The name.
        public let name: String
        /// The generation of its settings.
        public let generation: Int64
        /// The time of its creation, which is right only if the board's clock was set; nil if the service sent none.
        public let time: Timestamp?
        /// The user who made it.
        public let author: String
        /// The author's comment; nil if there is none.
        public let comment: String?
        /// The number of its settings.
        public let settings: Int
        /// The number of its resources of the system.
        public let resources: Int
        /// The size of all its parts, in bytes.
        public let bytes: Int64
        /// A description of the damage; nil if none was found.
        public let damage: String?

        init(_ info: SnapshotInfo) {
            name = info.name
            generation = info.generation
            time = Timestamp(info.time)
            author = info.author
            comment = info.comment
            settings = info.settings
            resources = info.resources
            bytes = info.bytes
            damage = info.damage
        }
    }

    /// The contents of a snapshot.
    public struct Contents: Hashable, Sendable {
        /// The snapshot.
        public let info: Info
        /// The values of its settings by path; nil for a secret, or for one that an imported snapshot omits.
        public let settings: [String: JSONValue?]
        /// The names of its resources, such as `file:/etc/hostname`, in order of their bytes.
        public let resources: [String]
    }

    /// The differences between two states.
    public struct Difference: Hashable, Sendable {
        /// The changes of settings from the first state to the second, in order of their paths.
        public let changes: [ValueChange]
        /// The number of further changes, which did not fit into the service's reply.
        public let omitted: Int
        /// The names of the resources that differ, or may differ.
        public let resources: [String]
    }

    let backend: any CleatBackend

    /// Creates a snapshot of the confirmed settings and of the state of the system.
    ///
    /// If the connection is lost meanwhile, the call fails, and the snapshot may or may not exist.
    ///
    /// - Parameters:
    ///   - name: the name, 1 to 64 bytes.
    ///   - comment: a comment for ``Info/comment``.
    /// - Returns: the snapshot.
    /// - Throws: ``CleatError``: `refused` for a name that is not valid or exists already, or beyond a limit.
    @discardableResult
    public func create(_ name: String, comment: String? = nil) async throws(CleatError) -> Info {
        Info(try await backend.createSnapshot(.init(name: name, comment: comment)).snapshot)
    }

    /// Lists the snapshots in the order of their creation.
    public func list() async throws(CleatError) -> [Info] {
        try await backend.listSnapshots().snapshots.map(Info.init)
    }

    /// Returns the contents of a snapshot, after all of it was compared with its hashes.
    ///
    /// - Throws: ``CleatError``: `refused` if no snapshot has the name, `failed` if it is damaged.
    public func show(_ name: String) async throws(CleatError) -> Contents {
        var settings: [String: JSONValue?] = [:]
        var resources: [String] = []
        var offset = 0
        while true {
            let page = try await backend.showSnapshot(.init(name: name, offset: offset))
            for setting in page.settings { settings.updateValue(setting.value, forKey: setting.path) }
            resources += page.resources.map(\.resource)
            guard let next = page.next else {
                return Contents(info: Info(page.snapshot), settings: settings, resources: resources)
            }
            guard next > offset else {
                throw CleatError(.notUnderstood, "the service sends the same part of the snapshot \(name) for ever")
            }
            offset = next
        }
    }

    /// Compares a snapshot with another one, or with the present state.
    ///
    /// - Throws: ``CleatError``: `refused` if no snapshot has the name.
    public func difference(from name: String, to other: String? = nil) async throws(CleatError) -> Difference {
        let reply = try await backend.compareSnapshots(.init(name: name, other: other))
        return Difference(
            changes: reply.changes.map(ValueChange.init), omitted: reply.omitted ?? 0,
            resources: reply.resources.map(\.resource))
    }

    /// Restores the settings of a snapshot as a new generation, and applies them to the system.
    ///
    /// - Parameters:
    ///   - name: the name of the snapshot.
    ///   - files: true to restore the resources that still differ afterwards, too.
    ///   - comment: the comment in the history, at most 1,024 bytes.
    /// - Returns: the generation in force afterwards.
    /// - Throws: ``CleatError``: `refused` if no snapshot has the name, or for values that the present schema refuses.
    @discardableResult
    public func restore(
        _ name: String, files: Bool = false, comment: String? = nil
    ) async throws(CleatError) -> Int64 {
        try await backend.restoreSnapshot(
            .init(name: name, files: files ? true : nil, id: RandomID.make(), comment: comment)
        ).change.generation
    }

    /// Deletes a snapshot.
    ///
    /// If the connection is lost meanwhile, the call fails, and the snapshot may or may not exist.
    ///
    /// - Throws: ``CleatError``: `refused` if no snapshot has the name.
    public func delete(_ name: String) async throws(CleatError) {
        _ = try await backend.deleteSnapshot(.init(name: name))
    }
}

import CleatAPI
import CleatIO
import CleatJSON
import CleatSettings

/// The id and the comment of a change in the program's memory.
struct MemorySignature: Sendable {
    let id: String
    let comment: String?

    init(id: String?, comment: String?) {
        self.id = id ?? ""
        self.comment = comment
    }
}

/// The last generations of the settings in the program's memory, and their snapshots.
struct MemoryHistory: Sendable {
    /// The number of generations that are remembered.
    static let limit = 256
    /// The number of snapshots that are possible.
    static let snapshotLimit = 64
    /// The largest size of a snapshot's name, in bytes.
    static let nameBytes = 64

    /// A snapshot of the settings.
    struct Snapshot: Sendable {
        let info: SnapshotInfo
        let settings: SettingsTree
    }

    private var entries: [(record: Generation, settings: SettingsTree)] = []
    private(set) var snapshots: [Snapshot] = []

    private static var author: String { UserDatabase.name(of: ProcessSelf.uid) ?? "uid \(ProcessSelf.uid)" }

    /// The generations, the newest first.
    var newestFirst: [Generation] { entries.reversed().map(\.record) }

    /// Adds a generation, and forgets the oldest one.
    mutating func append(
        _ number: Int64, _ signature: MemorySignature, _ changes: [ChangeRecord], state: Generation.State?,
        _ settings: SettingsTree
    ) {
        if entries.count == Self.limit { entries.removeFirst() }
        let record = Generation(
            number: number, id: signature.id, time: WallTime.now().description, bootID: "", bootTime: 0,
            synchronised: WallTime.clockSynchronised, author: Self.author, comment: signature.comment,
            changes: changes, state: state)
        entries.append((record, settings))
    }

    /// Notes that a generation was confirmed.
    mutating func confirm(_ number: Int64) {
        guard let index = entries.lastIndex(where: { $0.record.number == number }) else { return }
        entries[index].record.state = nil
    }

    /// Notes that a generation was reverted, in a generation of its own.
    mutating func revert(_ number: Int64, in next: Int64, _ settings: SettingsTree) {
        guard let index = entries.lastIndex(where: { $0.record.number == number }) else { return }
        entries[index].record.state = .reverted
        let changes = entries[index].record.changes.map {
            ChangeRecord(path: $0.path, old: $0.new, new: $0.old)
        }
        append(next, MemorySignature(id: nil, comment: nil), changes, state: nil, settings)
    }

    /// Returns the committed settings of a generation.
    ///
    /// - Throws: `unknownGeneration` if it was never made, or is not remembered any more.
    func settings(of number: Int64) throws(APIError) -> SettingsTree {
        if number == 0 { return SettingsTree() }
        guard let entry = entries.last(where: { $0.record.number == number }) else {
            throw .unknownGeneration(
                generation: number, message: "the history in memory has no generation \(number); see history()")
        }
        return entry.settings
    }

    /// Adds a snapshot.
    mutating func create(
        _ name: String, _ comment: String?, _ generation: Int64, _ settings: SettingsTree
    ) throws(APIError) -> SnapshotInfo {
        guard (1...Self.nameBytes).contains(name.utf8.count) else {
            throw .snapshots(.init(.invalidName, name, message: "a snapshot's name has 1 to \(Self.nameBytes) bytes"))
        }
        guard !snapshots.contains(where: { $0.info.name == name }) else {
            throw .snapshots(
                .init(.snapshotExists, name, message: "the snapshot \(name) exists; delete it or choose another name"))
        }
        guard snapshots.count < Self.snapshotLimit else {
            throw .snapshots(
                .init(
                    .limitReached, name,
                    message: "there are \(Self.snapshotLimit) snapshots, which is the limit; delete one"))
        }
        let info = SnapshotInfo(
            name: name, store: MemoryBackend.store, generation: generation, time: WallTime.now().description,
            synchronised: WallTime.clockSynchronised, author: Self.author, comment: comment,
            settings: settings.count, resources: 0, bytes: Int64(settings.bytes), ownBytes: Int64(settings.bytes))
        snapshots.append(Snapshot(info: info, settings: settings))
        return info
    }

    /// Returns a snapshot.
    ///
    /// - Throws: `unknownSnapshot`.
    func snapshot(_ name: String) throws(APIError) -> Snapshot {
        guard let snapshot = snapshots.first(where: { $0.info.name == name }) else {
            throw .snapshots(.init(.unknownSnapshot, name, message: "there is no snapshot \(name); see list()"))
        }
        return snapshot
    }

    /// Removes a snapshot.
    mutating func delete(_ name: String) throws(APIError) -> Int64 {
        let bytes = try snapshot(name).info.bytes
        snapshots.removeAll { $0.info.name == name }
        return bytes
    }
}

extension MemoryBackend {
    func log(_ parameters: SettingsInterface.Log.Parameters) async throws(CleatError) -> SettingsInterface.Log.Reply {
        try change { state throws(APIError) in
            let found = state.history.newestFirst.filter { $0.number < parameters.before ?? .max }
            return SettingsInterface.Log.Reply(
                store: Self.store, generations: Array(found.prefix(parameters.limit ?? found.count)))
        }
    }

    func compareGenerations(
        _ parameters: SettingsInterface.Diff.Parameters
    ) async throws(CleatError) -> SettingsInterface.Diff.Reply {
        try change { state throws(APIError) in
            let new = parameters.to ?? state.generation
            let old = parameters.from ?? (new > 0 ? new - 1 : 0)
            return SettingsInterface.Diff.Reply(
                store: Self.store, from: old, to: new,
                changes: try state.changes(from: state.history.settings(of: old), to: state.history.settings(of: new)))
        }
    }

    func rollback(
        _ parameters: SettingsInterface.Rollback.Parameters
    ) async throws(CleatError) -> SettingsInterface.Outcome {
        try change { state throws(APIError) in
            try restore(
                state.history.settings(of: parameters.to ?? max(state.generation - 1, 0)),
                .init(id: parameters.id, comment: parameters.comment), in: &state)
        }
    }

    func createSnapshot(
        _ parameters: SnapshotsInterface.Create.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Create.Reply {
        try change { state throws(APIError) in
            .init(
                snapshot: try state.history.create(
                    parameters.name, parameters.comment, state.generation, state.settings.committed))
        }
    }

    func listSnapshots() async throws(CleatError) -> SnapshotsInterface.List.Reply {
        try change { state throws(APIError) in
            let infos = state.history.snapshots.map(\.info)
            return .init(
                snapshots: infos, bytes: infos.reduce(0) { $0 + $1.bytes }, limit: MemoryHistory.snapshotLimit,
                limitBytes: .max)
        }
    }

    func showSnapshot(
        _ parameters: SnapshotsInterface.Show.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Show.Reply {
        try change { state throws(APIError) in
            let snapshot = try state.history.snapshot(parameters.name)
            let settings = snapshot.settings.joined.map { row in
                SnapshotSettingInfo(
                    path: row.path.text, value: state.settings.schema.hides(row.path) ? nil : row.value)
            }
            return .init(snapshot: snapshot.info, settings: settings, resources: [])
        }
    }

    func compareSnapshots(
        _ parameters: SnapshotsInterface.Diff.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Diff.Reply {
        try change { state throws(APIError) in
            let first = try state.history.snapshot(parameters.name).settings
            let second = try parameters.other.map { name throws(APIError) in try state.history.snapshot(name).settings }
            return .init(changes: state.changes(from: first, to: second ?? state.settings.committed), resources: [])
        }
    }

    func restoreSnapshot(
        _ parameters: SnapshotsInterface.Restore.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Restore.Reply {
        try change { state throws(APIError) in
            .init(
                change: try restore(
                    state.history.snapshot(parameters.name).settings,
                    .init(id: parameters.id, comment: parameters.comment), in: &state),
                differing: [])
        }
    }

    func deleteSnapshot(
        _ parameters: SnapshotsInterface.Delete.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Delete.Reply {
        try change { state throws(APIError) in .init(freed: try state.history.delete(parameters.name)) }
    }

    /// Commits the changes that lead to other settings.
    private func restore(
        _ settings: SettingsTree, _ signature: MemorySignature, in state: inout State
    ) throws(APIError) -> SettingsInterface.Outcome {
        let changes: ChangeSet
        do {
            changes = try ChangeSet(
                SettingsTree.differences(from: state.settings.committed, to: settings).map { Change($0.path, $0.new) })
        } catch {
            throw .storeFailed(code: "restore", message: "the settings cannot be restored: \(error)")
        }
        return try commit(changes, signature, expect: nil, window: nil, in: &state)
    }
}

extension MemoryBackend.State {
    /// Describes the differences between two states of the settings.
    fileprivate func changes(from old: SettingsTree, to new: SettingsTree) -> [ChangeRecord] {
        SettingsTree.differences(from: old, to: new).map { ChangeRecord(hiding: $0, in: settings.schema) }
    }
}

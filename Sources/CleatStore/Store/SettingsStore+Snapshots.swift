extension SettingsStore {
    /// Creates a snapshot: durable when this returns, or not stored at all.
    ///
    /// - Parameter request: the content of the snapshot.
    /// - Returns: the snapshot; its own bytes are the bytes that were written. Or the objects that the store lacks, if
    ///   the request only refers to them: then nothing was stored.
    /// - Throws: an error for a name that is not valid or is taken, a change on trial, settings other than the expected
    ///   ones, or a limit; or a storage error.
    package func createSnapshot(_ request: SnapshotRequest) throws(StoreError) -> SnapshotOutcome {
        try changing { file throws(StoreError) in try file.snapshots.create(request) }
    }

    /// Deletes a snapshot, and the objects that no other one holds.
    ///
    /// - Returns: the bytes of the deleted objects.
    /// - Throws: an error if no snapshot has that name; or a storage error.
    package func deleteSnapshot(_ name: String) throws(StoreError) -> Int64 {
        try changing { file throws(StoreError) in try file.snapshots.delete(name) }
    }

    /// Describes all snapshots, in the order of their creation, with the bytes of all objects, and the limits for them.
    package func snapshots() throws(StoreError) -> (all: [StoredSnapshot], bytes: Int64, limits: StoreLimits) {
        let file = try opened()
        return (try file.snapshots.all(), try file.snapshots.totals().bytes, file.limits)
    }

    /// Reads the content of a snapshot, without the mementos.
    ///
    /// - Throws: an error if no snapshot has that name, or one that names the damaged object; or a storage error.
    package func snapshotContent(_ name: String) throws(StoreError) -> SnapshotContent {
        try opened().snapshots.content(name)
    }

    /// Reads the contents of snapshots, without the mementos, and returns what a function makes of them.
    ///
    /// - Parameters:
    ///   - names: the names of the snapshots.
    ///   - body: takes the contents in the order of the names. It runs on the store's thread, where thousands of
    ///     settings are released as well.
    /// - Returns: what the function returns.
    /// - Throws: an error if no snapshot has that name, or one that names the damaged object; or a storage error.
    package func snapshotContents<T: Sendable>(
        _ names: [String], _ body: @Sendable ([SnapshotContent]) -> T
    ) throws(StoreError) -> T {
        let snapshots = try opened().snapshots
        var contents: [SnapshotContent] = []
        for name in names { contents.append(try snapshots.content(name)) }
        return body(contents)
    }

    /// Reads the mementos of resources one at a time, to check that they are intact.
    ///
    /// - Throws: an error that names the first damaged object; or a storage error.
    package func checkStates(of items: [SnapshotItem], in name: String) throws(StoreError) {
        let file = try opened()
        for item in items { _ = try file.snapshots.state(of: item, in: name) }
    }

    /// Reads the present or former content of a document by its SHA-256 in hexadecimal digits; nil if it is not stored
    /// (any more).
    package func content(_ hash: String) throws(StoreError) -> [UInt8]? { try opened().contents.content(hash) }

    /// Reads the mementos of resources; nil for one that was omitted from the snapshot.
    ///
    /// - Throws: an error that names the first damaged object; or a storage error.
    package func states(of items: [SnapshotItem], in name: String) throws(StoreError) -> [[UInt8]?] {
        let file = try opened()
        var states: [[UInt8]?] = []
        for item in items { states.append(try file.snapshots.state(of: item, in: name)) }
        return states
    }
}

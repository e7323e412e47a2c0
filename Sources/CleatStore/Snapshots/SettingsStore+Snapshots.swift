extension SettingsStore {
    /// Makes a snapshot: durable when this returns, or not there at all.
    ///
    /// - Parameter request: what it is made of.
    /// - Returns: the snapshot; its own bytes are those that were written.
    /// - Throws: a name that is none or is taken, a change on trial, other settings than were expected, a limit; or what
    ///   the storage said.
    package func createSnapshot(_ request: SnapshotRequest) throws(StoreError) -> StoredSnapshot {
        try changing { file throws(StoreError) in try file.createSnapshot(request) }
    }

    /// Takes a snapshot away, and the objects that no other one holds.
    ///
    /// - Returns: the bytes of the objects that went.
    /// - Throws: an error where there is none of that name; or what the storage said.
    package func deleteSnapshot(_ name: String) throws(StoreError) -> Int64 {
        try changing { file throws(StoreError) in try file.deleteSnapshot(name) }
    }

    /// Describes all snapshots, in the order in which they were made, with the bytes of all objects, and the bounds that
    /// hold for them.
    package func snapshots() throws(StoreError) -> (all: [StoredSnapshot], bytes: Int64, limits: StoreLimits) {
        let file = try opened()
        return (try file.snapshots(), try file.snapshotTotals().bytes, file.limits)
    }

    /// Reads what a snapshot holds, but for the mementos.
    ///
    /// - Throws: an error where there is none of that name, or names the object that is damaged; or what the storage said.
    package func snapshotContent(_ name: String) throws(StoreError) -> SnapshotContent {
        try opened().snapshotContent(name)
    }

    /// Reads what resources were, one after the other, and lets go of it.
    ///
    /// - Throws: an error that names the first object that is damaged; or what the storage said.
    package func checkStates(of items: [SnapshotItem], in name: String) throws(StoreError) {
        let file = try opened()
        for item in items { _ = try file.state(of: item, in: name) }
    }

    /// Reads what a document holds, or held, by its SHA-256 in hexadecimal digits; nil where it is not kept (any more).
    package func content(_ hash: String) throws(StoreError) -> [UInt8]? { try opened().content(hash) }

    /// Reads what resources were; nil for one that was left out.
    ///
    /// - Throws: an error that names the first object that is damaged; or what the storage said.
    package func states(of items: [SnapshotItem], in name: String) throws(StoreError) -> [[UInt8]?] {
        let file = try opened()
        var states: [[UInt8]?] = []
        for item in items { states.append(try file.state(of: item, in: name)) }
        return states
    }
}

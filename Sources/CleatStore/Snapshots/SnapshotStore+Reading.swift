import CleatSettings

extension SnapshotStore {

    /// Describes all snapshots, in the order of their creation.
    package func all() throws(StoreError) -> [StoredSnapshot] {
        let database = try store.open()
        let found = try store.sqlite { () throws(SQLiteError) in
            let tables = SnapshotTables(database: database)
            let records = try tables.records()
            let inventory = try SnapshotInventory(of: records, in: tables)
            return records.map { inventory.description(of: $0) }
        }
        database.releaseMemory()
        return found
    }

    /// Describes one snapshot.
    ///
    /// - Throws: an error if no snapshot has that name; or a storage error.
    package func snapshot(named name: String) throws(StoreError) -> StoredSnapshot {
        for snapshot in try all() where snapshot.name == name { return snapshot }
        throw unknownSnapshot(name)
    }

    /// Reads the content of a snapshot, without the mementos.
    ///
    /// - Throws: an error if no snapshot has that name, or one that names the damaged object; or a storage error.
    package func content(_ name: String) throws(StoreError) -> SnapshotContent {
        let snapshot = try snapshot(named: name)
        guard let record = try record(name) else { throw unknownSnapshot(name) }
        guard record.isWhole else {
            throw damaged(
                name, "record", "The record of the snapshot “\(name)” is damaged: its fields have another hash")
        }
        var content = SnapshotContent(snapshot: snapshot, settings: [], resources: [])
        for hash in record.settingPages {
            let bytes = try sound(hash, of: name, "settings")
            guard let page = SnapshotPage.settings(bytes) else { throw damaged(hash, of: name, "settings") }
            content.settings += page
        }
        for hash in record.resourcePages {
            let bytes = try sound(hash, of: name, "the list of resources")
            guard let page = SnapshotPage.resources(bytes) else {
                throw damaged(hash, of: name, "the list of resources")
            }
            content.resources += page
        }
        return content
    }

    /// Reads the memento of a resource.
    ///
    /// - Parameters:
    ///   - item: the resource's entry in the snapshot's content.
    ///   - name: the snapshot's name, for error messages.
    /// - Returns: the memento; nil if it was omitted.
    /// - Throws: an error that names the object, if it is missing or damaged; or a storage error.
    package func state(of item: SnapshotItem, in name: String) throws(StoreError) -> [UInt8]? {
        guard let hash = item.hash else { return nil }
        return try sound(hash, of: name, "“\(item.resource)”")
    }

    /// Reads the record of a snapshot; nil if no snapshot has that name.
    func record(_ name: String) throws(StoreError) -> SnapshotRecord? {
        let database = try store.open()
        return try store.sqlite { () throws(SQLiteError) in try SnapshotTables(database: database).record(name) }
    }

    /// Reads an object and checks the hash of its bytes.
    private func sound(_ hash: ObjectHash, of name: String, _ what: String) throws(StoreError) -> [UInt8] {
        let database = try store.open()
        guard
            let bytes = try store.sqlite({ () throws(SQLiteError) in
                try SnapshotTables(database: database).object(hash)
            })
        else {
            throw damaged(name, "\(hash)", "The object \(hash) of the snapshot “\(name)” (\(what)) is missing")
        }
        guard ObjectHash(of: bytes) == hash else { throw damaged(hash, of: name, what) }
        return bytes
    }

    private func damaged(_ hash: ObjectHash, of name: String, _ what: String) -> StoreError {
        damaged(
            name, "\(hash)",
            "The object \(hash) of the snapshot “\(name)” (\(what)) is damaged: its bytes have another hash")
    }

    private func damaged(_ name: String, _ subject: String, _ what: String) -> StoreError {
        StoreError(
            .damaged, subject, "\(what); delete the snapshot, and import it again from a file if there is one.")
    }

    func unknownSnapshot(_ name: String) -> StoreError {
        StoreError(
            .unknownSnapshot, name,
            "There is no snapshot “\(name.prefix(bytes: StoreLimits.snapshotNameBytes))”; see 'cleat snapshot list'.")
    }
}

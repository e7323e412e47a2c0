extension StoreFile {
    /// Returns the number of snapshots, and the bytes of their objects.
    ///
    /// `knownSnapshots` stays nil while the tables are missing.
    func snapshotTotals() throws(StoreError) -> SnapshotTotals {
        if let knownSnapshots { return knownSnapshots }
        let database = try open()
        let totals = try sqlite { () throws(SQLiteError) -> SnapshotTotals? in
            guard try hasSnapshotTables(database) else { return nil }
            return SnapshotTotals(
                count: Int(clamping: try database.value("SELECT count(*) FROM snapshots", as: Int64.self) ?? 0),
                bytes: try database.value("SELECT coalesce(sum(size), 0) FROM objects") ?? 0)
        }
        knownSnapshots = totals
        return totals ?? SnapshotTotals(count: 0, bytes: 0)
    }

    private func hasSnapshotTables(_ database: Database) throws(SQLiteError) -> Bool {
        let tables: Int64? = try database.value(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (\(StoreFormat.snapshotTableNames))")
        return tables == Int64(StoreFormat.snapshotTables.count)
    }

    /// Creates the tables of format 1.3 in the open transaction; a later minor version of the file stays as it is.
    func makeSnapshotTables(_ database: Database) throws(SQLiteError) {
        for table in StoreFormat.snapshotTables { try database.execute(table) }
        let version: Int64 = try database.value("PRAGMA user_version") ?? 0
        if version < StoreFormat.snapshotVersion {
            try database.execute("PRAGMA user_version=\(StoreFormat.snapshotVersion)")
        }
    }

    /// Reads the bytes of an object, without a check of their hash; nil if there is none.
    func object(_ hash: ObjectHash, _ database: Database) throws(SQLiteError) -> [UInt8]? {
        guard knownSnapshots != nil else { return nil }
        let row = try database.cached("SELECT bytes FROM objects WHERE hash = ?")
        defer { row.reset() }
        try row.bind([.blob(hash.bytes)])
        return try row.step() ? try row.column(0) : nil
    }

    /// Reads the actual size of an object's bytes; nil if there is none.
    func objectSize(_ hash: ObjectHash, _ database: Database) throws(SQLiteError) -> Int64? {
        guard knownSnapshots != nil else { return nil }
        let row = try database.cached("SELECT length(bytes) FROM objects WHERE hash = ?")
        defer { row.reset() }
        try row.bind([.blob(hash.bytes)])
        return try row.step() ? try row.column(0) : nil
    }

    /// Reads the recorded size of an object, which counts for the totals; 0 if there is none.
    func statedSize(_ hash: ObjectHash, _ database: Database) throws(SQLiteError) -> Int64 {
        guard knownSnapshots != nil else { return 0 }
        return try database.value("SELECT size FROM objects WHERE hash = ?", [.blob(hash.bytes)]) ?? 0
    }

    /// Reads the record of a snapshot; nil if no snapshot has that name.
    func snapshotRecord(_ name: String) throws(StoreError) -> SnapshotRecord? {
        let database = try open()
        _ = try snapshotTotals()
        guard knownSnapshots != nil else { return nil }
        return try sqlite { () throws(SQLiteError) -> SnapshotRecord? in
            let row = try database.prepare(
                "SELECT \(SnapshotRecord.columns) FROM snapshots WHERE name = ?", [.text(name)])
            return try row.step() ? try SnapshotRecord(row) : nil
        }
    }

    /// Reads the records of all snapshots, in the order of their creation.
    func snapshotRecords(_ database: Database) throws(SQLiteError) -> [SnapshotRecord] {
        guard knownSnapshots != nil else { return [] }
        var records: [SnapshotRecord] = []
        let rows = try database.prepare("SELECT \(SnapshotRecord.columns) FROM snapshots ORDER BY id")
        while try rows.step() { records.append(try SnapshotRecord(rows)) }
        return records
    }
}

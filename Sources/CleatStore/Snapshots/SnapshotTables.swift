/// The tables of the snapshots and of their objects.
struct SnapshotTables {
    let database: Database

    /// Reads the number of snapshots and the bytes of their objects.
    func totals() throws(SQLiteError) -> SnapshotTotals {
        SnapshotTotals(
            count: Int(clamping: try database.value("SELECT count(*) FROM snapshots", as: Int64.self) ?? 0),
            bytes: try database.value("SELECT coalesce(sum(size), 0) FROM objects") ?? 0)
    }

    /// Reads the bytes of an object, without a check of their hash; nil if there is none.
    func object(_ hash: ObjectHash) throws(SQLiteError) -> [UInt8]? {
        let row = try database.cached("SELECT bytes FROM objects WHERE hash = ?")
        defer { row.reset() }
        try row.bind([.blob(hash.bytes)])
        return try row.step() ? try row.column(0) : nil
    }

    /// Reads the actual size of an object's bytes; nil if there is none.
    func size(of hash: ObjectHash) throws(SQLiteError) -> Int64? {
        let row = try database.cached("SELECT length(bytes) FROM objects WHERE hash = ?")
        defer { row.reset() }
        try row.bind([.blob(hash.bytes)])
        return try row.step() ? try row.column(0) : nil
    }

    /// Reads the recorded size of an object, which counts for the totals; 0 if there is none.
    func statedSize(of hash: ObjectHash) throws(SQLiteError) -> Int64 {
        return try database.value("SELECT size FROM objects WHERE hash = ?", [.blob(hash.bytes)]) ?? 0
    }

    /// Reads the record of a snapshot; nil if no snapshot has that name.
    func record(_ name: String) throws(SQLiteError) -> SnapshotRecord? {
        let row = try database.prepare("SELECT \(SnapshotRecord.columns) FROM snapshots WHERE name = ?", [.text(name)])
        return try row.step() ? try SnapshotRecord(row) : nil
    }

    /// Reads the records of all snapshots, in the order of their creation.
    func records() throws(SQLiteError) -> [SnapshotRecord] {
        var records: [SnapshotRecord] = []
        let rows = try database.prepare("SELECT \(SnapshotRecord.columns) FROM snapshots ORDER BY id")
        while try rows.step() { records.append(try SnapshotRecord(rows)) }
        return records
    }

    /// Writes a snapshot and its new objects.
    func insert(_ plan: SnapshotPlan) throws(SQLiteError) {
        for object in plan.objects {
            try database.run(
                "INSERT OR REPLACE INTO objects(hash, size, bytes) VALUES(?, ?, ?)",
                [.blob(object.key.bytes), .integer(Int64(object.value.count)), .blob(object.value)])
        }
        try database.run(
            """
            INSERT INTO snapshots(\(SnapshotRecord.columns)) \
            VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """, plan.record.values)
    }

    /// Deletes a snapshot, and the objects that no other one holds; returns the bytes of those.
    ///
    /// While the objects of another snapshot are not known, since it is damaged, all objects stay.
    func delete(_ name: String) throws(SQLiteError) -> Int64 {
        try database.run("DELETE FROM snapshots WHERE name = ?", [.text(name)])
        let others = try SnapshotInventory(of: try records(), in: self)
        guard others.isComplete else { return 0 }
        var unused: [(hash: [UInt8], size: Int64)] = []
        let rows = try database.prepare("SELECT hash, size FROM objects")
        while try rows.step() {
            let hash: [UInt8] = try rows.column(0)
            if let known = ObjectHash(digest: hash[...]), others.holds(known) { continue }
            unused.append((hash, try rows.column(1)))
        }
        for object in unused { try database.run("DELETE FROM objects WHERE hash = ?", [.blob(object.hash)]) }
        return unused.reduce(0) { $0 + $1.size }
    }
}

/// The number of snapshots and the bytes of their objects.
struct SnapshotTotals {
    var count: Int
    var bytes: Int64
}

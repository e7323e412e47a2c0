import CleatAPI

extension StoreFile {
    /// Deletes a snapshot, and the objects that no other one holds: durable when this returns, or still there.
    ///
    /// The file does not shrink: its pages are reused. While another snapshot is damaged, so that its objects are not
    /// known, all objects stay until that one is deleted.
    ///
    /// - Returns: the bytes of the deleted objects.
    /// - Throws: an error if no snapshot has that name; or a storage error.
    @discardableResult
    package func deleteSnapshot(_ name: String) throws(StoreError) -> Int64 {
        let database = try open()
        guard try snapshotRecord(name) != nil else { throw unknownSnapshot(name) }
        let totals = try snapshotTotals()
        let freed = try durably(database) { () throws(SQLiteError) -> Int64 in
            try database.run("DELETE FROM snapshots WHERE name = ?", [.text(name)])
            let others = try SnapshotInventory(of: try self.snapshotRecords(database), in: self, database)
            guard others.isComplete else { return 0 }
            var left: [(hash: [UInt8], size: Int64)] = []
            let rows = try database.prepare("SELECT hash, size FROM objects")
            while try rows.step() {
                let hash: [UInt8] = try rows.column(0)
                if let known = ObjectHash(digest: hash[...]), others.holds(known) { continue }
                left.append((hash, try rows.column(1)))
            }
            for object in left { try database.run("DELETE FROM objects WHERE hash = ?", [.blob(object.hash)]) }
            return left.reduce(0) { $0 + $1.size }
        }
        knownSnapshots = SnapshotTotals(count: totals.count - 1, bytes: totals.bytes - freed)
        database.releaseMemory()
        return freed
    }
}

import CleatAPI
import CleatSettings

extension StoreFile {
    /// Writes changes as a new generation: durable when this returns, or not stored at all.
    ///
    /// A known id is handled first: with the same hash as before it gives the same result, so that a retry after a lost
    /// reply is safe. Then the commit is refused if another change is on trial, and `expect` is checked. Changes
    /// without an effect are not written.
    ///
    /// - Parameter request: the changes to write.
    /// - Returns: the outcome.
    /// - Throws: a conflict, a reused id, a limit, a pending trial, or a storage error.
    package func commit(_ request: CommitRequest) throws(StoreError) -> CommitOutcome {
        let database = try open()
        try checkLimits(request)
        if let former = try former(request) { return .repeated(former) }
        try refuseWhilePending()
        try checkExpected(request)
        let rows = try effectiveRows(request, database)
        guard !rows.isEmpty else { return .unchanged(generation) }
        try write(rows, request, database)
        return .committed(generation, rows.map(\.change))
    }

    private func write(
        _ rows: [ChangedRow], _ request: CommitRequest, _ database: Database
    ) throws(StoreError) {
        let next = try nextNumber()
        let size = ChangedRow.size(of: rows, comment: request.comment)
        // The new values are written twice: as settings, and as history.
        try checkRoom(for: 2 * size, of: request.id, database)
        let lowSpace = hasLowSpace
        let pruned = try durably(database) { () throws(SQLiteError) -> Pruned in
            let pruned = try self.prune(adding: (1, size), lowSpace: lowSpace, database)
            for row in rows {
                let path = SQLiteValue.text(row.path.text)
                if let new = row.new {
                    try database.run(
                        "INSERT OR REPLACE INTO settings(path, value, generation) VALUES(?, ?, ?)",
                        [path, .text(new), .integer(next)])
                } else {
                    try database.run("DELETE FROM settings WHERE path = ?", [path])
                }
            }
            try self.insert(rows, next, database)
            try self.insert(request, next, size, state: GenerationRecord.confirmed, database)
            return pruned
        }
        number = next
        lastNumber = next
        settingsCount += rows.reduce(0) { $0 + $1.added }
        for row in rows {
            if let old = row.old { settingsSum.remove(row.path.text, old) }
            if let new = row.new { settingsSum.add(row.path.text, new) }
        }
        noteNewest()
        historyCount += 1 - pruned.count
        historyBytes += size - pruned.bytes
    }
}

import CleatSettings

/// The generations of a store, their changes and results.
package struct History {
    let store: StoreDatabase

    /// Reads one page of the history, newest first, including generations that are on trial or were reverted.
    ///
    /// - Parameters:
    ///   - before: the number below which generations are returned; nil for the newest.
    ///   - limit: the maximum number of generations; large ones make a page shorter.
    /// - Returns: at least one generation if there is one.
    /// - Throws: a storage error.
    package func generations(before: Int64?, limit: Int) throws(StoreError) -> [GenerationRecord] {
        let database = try store.open()
        let limit = min(max(limit, 1), StoreLimits.page)
        return try store.sqlite { () throws(SQLiteError) in
            let rows = try database.prepare(
                "SELECT \(Self.columns), size FROM generations WHERE number < ? ORDER BY number DESC LIMIT ?",
                [.integer(before ?? .max), .integer(Int64(limit))])
            var page: [GenerationRecord] = []
            var bytes: Int64 = 0
            while try rows.step() {
                bytes &+= try rows.column(14, as: Int64.self)
                if !page.isEmpty, bytes > StoreLimits.pageBytes { break }
                page.append(try record(rows, database))
            }
            return page
        }
    }

    /// Finds the generation that an id was used for.
    package func record(id: String) throws(StoreError) -> GenerationRecord? {
        try record(where: "id = ?", .text(id))
    }

    /// Finds a generation by its number.
    package func record(number: Int64) throws(StoreError) -> GenerationRecord? {
        try record(where: "number = ?", .integer(number))
    }

    /// Finds the generation that reverted another one; nil if no generation did.
    package func record(reverting number: Int64) throws(StoreError) -> GenerationRecord? {
        try record(where: "number > ?1 AND reverts = ?1 ORDER BY number LIMIT 1", .integer(number))
    }

    static let columns =
        "number, id, hash, time, boot_id, boot_time, synchronised, author, comment, state, \(GenerationNote.names)"

    private func record(where condition: String, _ value: SQLiteValue) throws(StoreError) -> GenerationRecord? {
        let database = try store.open()
        return try store.sqlite { () throws(SQLiteError) -> GenerationRecord? in
            let row = try database.cached("SELECT \(Self.columns) FROM generations WHERE \(condition)")
            defer { row.reset() }
            try row.bind([value])
            return try row.step() ? try record(row, database) : nil
        }
    }

    private func record(_ row: Statement, _ database: Database) throws(SQLiteError) -> GenerationRecord {
        let number: Int64 = try row.column(0)
        let stamp = CommitStamp(
            time: try row.column(3), bootID: try row.column(4), bootTime: try row.column(5),
            synchronised: try row.column(6))
        return GenerationRecord(
            number: number, id: try row.column(1), hash: try row.column(2), stamp: stamp, author: try row.column(7),
            comment: try row.column(8), note: try GenerationNote(row, from: 10),
            state: GenerationState(word: try row.column(9)),
            changes: try changes(of: number, database),
            results: try results(of: number, database))
    }

    /// Reads the changes of a generation, sorted by the bytes of the paths.
    func changes(of number: Int64, _ database: Database) throws(SQLiteError) -> [StoredChange] {
        let rows = try database.cached("SELECT path, old, new FROM changes WHERE generation = ? ORDER BY path")
        defer { rows.reset() }
        try rows.bind([.integer(number)])
        var changes: [StoredChange] = []
        while try rows.step() {
            guard let path = try? SettingPath(try rows.column(0, as: String.self)) else { continue }
            changes.append(ChangedRow(path: path, old: try rows.column(1), new: try rows.column(2)).change)
        }
        return changes
    }

    /// Reads the results of a generation; nil if none are stored.
    func results(of generation: Int64, _ database: Database) throws(SQLiteError) -> String? {
        let row = try database.cached("SELECT results FROM results WHERE generation = ?")
        defer { row.reset() }
        try row.bind([.integer(generation)])
        return try row.step() ? try row.column(0) : nil
    }
}

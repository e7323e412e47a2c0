import CleatSettings

extension History {
    /// The statement that writes a row of `generations`.
    static let insertion = """
        INSERT INTO generations(number, id, hash, time, boot_id, boot_time, synchronised, author, comment, state, \
        size, written, syncs) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """

    /// Writes the changes of a generation.
    func insert(_ rows: [ChangedRow], _ next: Int64, _ database: Database) throws(SQLiteError) {
        for row in rows {
            try database.run(
                "INSERT INTO changes(generation, path, old, new) VALUES(?, ?, ?, ?)",
                [.integer(next), .text(row.path.text), .optional(row.old), .optional(row.new)])
        }
    }

    /// Writes the author, the time and the reason of a generation.
    func insert(
        _ request: CommitRequest, _ next: Int64, _ size: Int64, state: GenerationState, _ database: Database
    ) throws(SQLiteError) {
        try database.run(
            Self.insertion,
            [
                .integer(next), .text(request.id), .text(request.hash), .integer(request.stamp.time),
                .text(request.stamp.bootID), .integer(request.stamp.bootTime),
                .integer(request.stamp.synchronised ? 1 : 0), .text(request.author), .optional(request.comment),
                .text(state.word), .integer(size), .integer(store.wear.formerBytes &+ store.wear.bytes(database)),
                .integer(store.wear.formerSyncs &+ store.wear.syncs(database)),
            ])
    }

    /// Writes the changes from a generation back to the confirmed settings; returns their size in bytes.
    func insertInverse(of reverted: Int64, as next: Int64, _ database: Database) throws(SQLiteError) -> Int64 {
        try database.run(
            """
            INSERT INTO changes(generation, path, old, new) \
            SELECT ?1, path, new, (SELECT value FROM settings WHERE settings.path = trial.path) FROM changes AS trial \
            WHERE generation = ?2
            """, [.integer(next), .integer(reverted)])
        return try database.value(
            """
            SELECT coalesce(sum(16 + length(CAST(path AS BLOB)) + coalesce(length(CAST(old AS BLOB)), 0) \
            + coalesce(length(CAST(new AS BLOB)), 0)), 0) FROM changes WHERE generation = ?
            """, [.integer(next)]) ?? 0
    }

    /// Changes the state of a generation.
    func set(_ state: GenerationState, of generation: Int64, _ database: Database) throws(SQLiteError) {
        try database.run(
            "UPDATE generations SET state = ? WHERE number = ?", [.text(state.word), .integer(generation)])
    }

    /// Stores the results of a generation in the open transaction.
    ///
    /// - Parameters:
    ///   - results: the text; nil keeps the stored one.
    ///   - generation: the generation.
    ///   - database: the connection.
    /// - Returns: the number of bytes by which the history grows.
    /// - Throws: an SQLite error.
    func keep(results: String?, of generation: Int64, _ database: Database) throws(SQLiteError) -> Int64 {
        guard let results, !results.isEmpty else { return 0 }
        let former = try self.results(of: generation, database)
        if former == results { return 0 }
        try database.run(
            "INSERT OR REPLACE INTO results(generation, results) VALUES(?, ?)", [.integer(generation), .text(results)])
        let growth = Int64(results.utf8.count - (former?.utf8.count ?? 0))
        try database.run(
            "UPDATE generations SET size = size + ? WHERE number = ?", [.integer(growth), .integer(generation)])
        return growth
    }

    /// Throws if a text is longer than `StoreLimits.resultsBytes`.
    func check(results: String?, of id: String) throws(StoreError) {
        guard let results, results.utf8.count > StoreLimits.resultsBytes else { return }
        throw StoreError(
            .limit, id,
            "The results of the change “\(id)” have \(results.utf8.count) bytes; the limit is \(StoreLimits.resultsBytes) "
                + "bytes.")
    }

    /// Stores the note of the service on a generation in the open transaction.
    ///
    /// - Returns: the number of bytes by which the history grows.
    func keep(_ note: GenerationNote?, of generation: Int64, _ database: Database) throws(SQLiteError) -> Int64 {
        guard let note else { return 0 }
        let columns = note.columns
        let growth = columns.reduce(0 as Int64) { sum, column in
            guard case .text(let text) = column else { return sum }
            return sum + Int64(text.utf8.count)
        }
        try database.run(
            """
            UPDATE generations SET reverts = ?, reverted_id = ?, reason = ?, confirmed_by = ?, size = size + ? \
            WHERE number = ?
            """, columns + [.integer(growth), .integer(generation)])
        return growth
    }
}

extension StoreFormat {
    /// The version of a file that holds results of changes: format 1.6.
    static let resultsVersion = major * 1000 + 6
    /// The table of format 1.6, created with the first results: one text for each generation, from the caller that
    /// applied it.
    static let resultsTable =
        "CREATE TABLE IF NOT EXISTS results(generation INTEGER PRIMARY KEY, results TEXT NOT NULL)"
}

extension StoreFile {
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
        try database.execute(StoreFormat.resultsTable)
        let version: Int64 = try database.value("PRAGMA user_version") ?? 0
        if version < StoreFormat.resultsVersion {
            try database.execute("PRAGMA user_version=\(StoreFormat.resultsVersion)")
        }
        let former = try storedResults(of: generation, database)
        if former == results { return 0 }
        try database.run(
            "INSERT OR REPLACE INTO results(generation, results) VALUES(?, ?)", [.integer(generation), .text(results)])
        let growth = Int64(results.utf8.count - (former?.utf8.count ?? 0))
        try database.run(
            "UPDATE generations SET size = size + ? WHERE number = ?", [.integer(growth), .integer(generation)])
        return growth
    }

    /// Reads the results of a generation; nil if none are stored.
    func results(of generation: Int64, _ database: Database) throws(SQLiteError) -> String? {
        try hasResults(database) ? storedResults(of: generation, database) : nil
    }

    /// Deletes the results of generations that are deleted from the history.
    func dropResults(through last: Int64, _ database: Database) throws(SQLiteError) {
        if try hasResults(database) {
            try database.run("DELETE FROM results WHERE generation <= ?", [.integer(last)])
        }
    }

    /// Throws if a text is longer than `StoreLimits.resultsBytes`.
    func check(results: String?, of id: String) throws(StoreError) {
        guard let results, results.utf8.count > StoreLimits.resultsBytes else { return }
        throw StoreError(
            .limit, id,
            "What came of the change “\(id)” has \(results.utf8.count) bytes; the limit is \(StoreLimits.resultsBytes) "
                + "bytes.")
    }

    private func hasResults(_ database: Database) throws(SQLiteError) -> Bool {
        let row = try database.cached("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'results'")
        defer { row.reset() }
        guard try row.step() else { return false }
        return try row.column(0, as: Int64.self) == 1
    }

    private func storedResults(of generation: Int64, _ database: Database) throws(SQLiteError) -> String? {
        let row = try database.prepare("SELECT results FROM results WHERE generation = ?", [.integer(generation)])
        return try row.step() ? try row.column(0) : nil
    }
}

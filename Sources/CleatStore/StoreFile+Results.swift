extension StoreFormat {
    /// The version of a file that holds what came of changes: format 1.6.
    static let resultsVersion = major * 1000 + 6
    /// What format 1.6 adds, with the first change that the system followed: for each generation a text of whoever made
    /// it follow.
    static let resultsTable =
        "CREATE TABLE IF NOT EXISTS results(generation INTEGER PRIMARY KEY, results TEXT NOT NULL)"
}

extension StoreFile {
    /// Keeps what came of a generation in the transaction that is open, and says how many bytes its row has grown.
    ///
    /// - Parameters:
    ///   - results: the text; nil leaves what is there.
    ///   - generation: the generation.
    ///   - database: the connection.
    /// - Returns: the bytes that the history gains.
    /// - Throws: what SQLite said.
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

    /// Reads what came of a generation; nil where nothing is known of that.
    func results(of generation: Int64, _ database: Database) throws(SQLiteError) -> String? {
        try hasResults(database) ? storedResults(of: generation, database) : nil
    }

    /// Lets go of what came of generations that leave the history.
    func dropResults(through last: Int64, _ database: Database) throws(SQLiteError) {
        if try hasResults(database) {
            try database.run("DELETE FROM results WHERE generation <= ?", [.integer(last)])
        }
    }

    /// Refuses a text that is longer than what is kept.
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

extension StoreFile {
    /// Finds the trial, and gives a store of format 1.0 the tables of format 1.1, in one transaction.
    ///
    /// A full disk is no reason not to open a store that was opened before: then the tables come with the first trial.
    func loadTrial(_ database: Database) throws(SQLiteError) {
        let tables: Int64? = try database.value(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (\(StoreFormat.trialTableNames))")
        hasTrialTables = tables == Int64(StoreFormat.trialTables.count)
        if !hasTrialTables {
            do throws(SQLiteError) {
                try database.transaction { () throws(SQLiteError) in try makeTrialTables(database) }
                hasTrialTables = true
            } catch {
                guard error.code.primary == .full else { throw error }
            }
        }
        pending = nil
        if hasTrialTables { pending = try database.value("SELECT generation FROM trial") }
    }

    /// Makes the tables of format 1.1 in the transaction that is open; a later minor version stays what it is.
    func makeTrialTables(_ database: Database) throws(SQLiteError) {
        for table in StoreFormat.trialTables { try database.execute(table) }
        let version: Int64 = try database.value("PRAGMA user_version") ?? 0
        if version < StoreFormat.userVersion {
            try database.execute("PRAGMA user_version=\(StoreFormat.userVersion)")
        }
    }
}

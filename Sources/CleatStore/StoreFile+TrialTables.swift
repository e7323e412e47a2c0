extension StoreFile {
    /// Finds the trial, and adds the tables of later formats to a store of a former format, in one transaction.
    ///
    /// A store that could be opened before must open on a full disk, too: then the tables are created with the first
    /// change that needs them.
    func loadTrial(_ database: Database) throws(SQLiteError) {
        hasTrialTables = try has(StoreFormat.trialTables, named: StoreFormat.trialTableNames, database)
        hasFingerprints = try has(StoreFormat.fingerprintTables, named: StoreFormat.fingerprintTableNames, database)
        hasProbes = try has(StoreFormat.probeTables, named: StoreFormat.probeTableNames, database)
        if !hasTrialTables || !hasFingerprints || !hasProbes {
            do throws(SQLiteError) {
                try database.transaction { () throws(SQLiteError) in try makeLaterTables(database) }
                noteLaterTables()
            } catch {
                guard error.code.primary == .full else { throw error }
            }
        }
        pending = nil
        if hasTrialTables { pending = try database.value("SELECT generation FROM trial") }
    }

    private func has(_ tables: [String], named names: String, _ database: Database) throws(SQLiteError) -> Bool {
        let count: Int64? = try database.value(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (\(names))")
        return count == Int64(tables.count)
    }

    /// Creates the tables of formats 1.1, 1.2 and 1.4 in the open transaction; a later minor version of the file stays
    /// as it is.
    func makeLaterTables(_ database: Database) throws(SQLiteError) {
        for table in StoreFormat.laterTables { try database.execute(table) }
        let version: Int64 = try database.value("PRAGMA user_version") ?? 0
        if version < StoreFormat.userVersion {
            try database.execute("PRAGMA user_version=\(StoreFormat.userVersion)")
        }
    }

    /// Records that the transaction with the tables was committed.
    func noteLaterTables() {
        hasTrialTables = true
        hasFingerprints = true
        hasProbes = true
    }
}

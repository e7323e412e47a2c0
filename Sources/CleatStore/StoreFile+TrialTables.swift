extension StoreFile {
    /// Finds the trial, and gives a store of a former format the tables of the later ones, in one transaction.
    ///
    /// A full disk is no reason not to open a store that was opened before: then the tables come with the first change
    /// that needs them.
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

    /// Makes the tables of the formats after 1.0 in the transaction that is open; a later minor version stays what it is.
    func makeLaterTables(_ database: Database) throws(SQLiteError) {
        for table in StoreFormat.laterTables { try database.execute(table) }
        let version: Int64 = try database.value("PRAGMA user_version") ?? 0
        if version < StoreFormat.userVersion {
            try database.execute("PRAGMA user_version=\(StoreFormat.userVersion)")
        }
    }

    /// Knows that the transaction with the tables has come to its end.
    func noteLaterTables() {
        hasTrialTables = true
        hasFingerprints = true
        hasProbes = true
    }
}

import CleatSettings

extension StoreDatabase {
    /// Checks the structure of a whole file, or of one table with its indexes. `PRAGMA quick_check`
    ///
    /// - Parameters:
    ///   - database: the open file.
    ///   - table: the name of the table; nil for the whole file.
    /// - Returns: the reason why it is of no use, as the end of a sentence; nil if it is intact.
    /// - Throws: the error of a read that the device has refused.
    static func damage(of database: Database, table: String? = nil) throws(SQLiteError) -> String? {
        let check: String
        do throws(SQLiteError) {
            check = try database.value("PRAGMA quick_check(\(table ?? "1"))") ?? "there is no answer"
        } catch {
            guard [.corrupt, .notADatabase].contains(error.code.primary) else { throw error }
            check = error.message
        }
        // SQLite reports an unreadable page as damage; but settings must not be discarded because the device fails
        // to read.
        if database.failedReads > 0 {
            throw SQLiteError(code: database.lastFailedRead, sql: "PRAGMA quick_check", message: check)
        }
        return check == "ok" ? nil : "it is damaged (\(check))"
    }

    /// Checks the whole file, unless that was done; from then on a damaged one refuses every change, and the next
    /// opening quarantines it.
    ///
    /// - Throws: `corrupt`, or the error of a read that the device has refused.
    func checkIfDue() throws(StoreError) {
        // Damage that was met before this is reported, too.
        guard check != .passed, refusal == nil, let connection else { return }
        connection.setReadingAhead(true)
        defer {
            connection.setReadingAhead(false)
            connection.releaseMemory()
        }
        let reason = try sqlite { () throws(SQLiteError) in try Self.damage(of: connection) }
        guard let reason else {
            if check == .failed { return }
            check = .passed
            return
        }
        check = .failed
        // The note of a closed store would let the next opening trust its files once more.
        noteNewest()
        let error = StoreError(
            .corrupt, directory.path,
            "The store “\(directory.path)” takes no changes, because \(reason); start the program again: it quarantines "
                + "the damaged store and restores the second copy.")
        refusal = error
        throw error
    }
}

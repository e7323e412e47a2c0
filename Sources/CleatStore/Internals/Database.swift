import CSQLite

/// An open SQLite file on which statements run, for one thread at a time.
package final class Database {
    private let connection: Connection
    private var cache: [String: Statement] = [:]

    /// Opens an existing file.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - hook: called before each operation on the file and those next to it; for tests.
    /// - Throws: an SQLite error.
    package init(path: String, hook: StorageHook? = nil) throws(SQLiteError) {
        connection = try Connection(path: path, hook: hook)
    }

    /// Runs one statement and drops its rows.
    package func execute(_ sql: String) throws(SQLiteError) {
        let statement = try prepare(sql)
        while try statement.step() {}
    }

    /// Runs one statement, which stays prepared for the next use, and drops its rows.
    package func run(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) {
        let statement = try cached(sql)
        defer { statement.reset() }
        try statement.bind(values)
        while try statement.step() {}
    }

    /// Prepares a statement for one use.
    package func prepare(_ sql: String, _ values: [SQLiteValue] = []) throws(SQLiteError) -> Statement {
        let statement = try Statement(connection, sql, persistent: false)
        try statement.bind(values)
        return statement
    }

    /// Runs a statement and reads the first column of its first row.
    ///
    /// - Returns: nil if there is no row.
    package func value<Value: SQLiteColumn>(
        _ sql: String, _ values: [SQLiteValue] = [], as type: Value.Type = Value.self
    ) throws(SQLiteError) -> Value? {
        let statement = try prepare(sql, values)
        return try statement.step() ? try statement.column(0, as: Value.self) : nil
    }

    /// Returns the prepared statement of a text that is used repeatedly; the caller resets it after each use.
    package func cached(_ sql: String) throws(SQLiteError) -> Statement {
        if let statement = cache[sql] { return statement }
        let statement = try Statement(connection, sql, persistent: true)
        cache[sql] = statement
        return statement
    }

    /// Runs `body` in one transaction, which is rolled back when `body` or the commit fails.
    package func transaction<Result>(_ body: () throws(SQLiteError) -> Result) throws(SQLiteError) -> Result {
        try run("BEGIN IMMEDIATE")
        do throws(SQLiteError) {
            let result = try body()
            try run("COMMIT")
            return result
        } catch {
            if unsafe sqlite3_get_autocommit(connection.pointer) == 0 { try? run("ROLLBACK") }
            throw error
        }
    }

    /// True if SQLite could open the file for reading only.
    package var isReadOnly: Bool {
        unsafe sqlite3_db_readonly(connection.pointer, "main") == 1
    }

    /// Keeps the write-ahead log's file when the connection closes.
    package func persistLog() throws(SQLiteError) {
        try connection.check(unsafe csqlite_persist_wal(connection.pointer), sql: "keep the write-ahead log")
    }

    /// Sets whether closing moves the write-ahead log into the main file.
    package func checkpointOnClose(_ enabled: Bool) throws(SQLiteError) {
        try connection.check(
            unsafe csqlite_set_option(connection.pointer, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, enabled ? 0 : 1),
            sql: "set checkpoint on close")
    }

    /// Grows the write-ahead log's file to a size in bytes, so that a commit does not have to.
    package func growLog(to size: Int64) throws(SQLiteError) {
        try connection.check(unsafe csqlite_grow_wal(connection.pointer, size), sql: "grow the write-ahead log")
    }

    /// Moves as many frames of the write-ahead log as possible into the main file; returns true if that was all.
    @discardableResult
    package func checkpoint() throws(SQLiteError) -> Bool {
        var frames: Int32 = 0
        var moved: Int32 = 0
        try connection.check(
            unsafe sqlite3_wal_checkpoint_v2(
                connection.pointer, "main", SQLITE_CHECKPOINT_PASSIVE, &frames, &moved),
            sql: "checkpoint")
        return frames == moved
    }

    /// Frees memory that the connection can do without.
    package func releaseMemory() {
        unsafe sqlite3_db_release_memory(connection.pointer)
    }

    /// Finalises the kept statements, so that the connection closes with the last reference to this object.
    package func dropStatements() {
        cache.removeAll()
    }

    /// Reads ahead in the files, or no longer: while most pages are read, in the order of the tables, one call of the
    /// system reads sixteen.
    func setReadingAhead(_ isOn: Bool) { connection.layer.setReadingAhead(isOn) }

    /// The bytes written since the file was opened, logs included.
    package var bytesWritten: Int64 { connection.layer.bytesWritten }

    /// The flushes since the file was opened.
    package var syncs: Int64 { connection.layer.syncs }

    /// The number of reads that failed since the file was opened.
    package var failedReads: Int64 { connection.layer.failedReads }

    /// The code of the last read that failed.
    package var lastFailedRead: SQLiteCode { connection.layer.lastFailedRead }
}

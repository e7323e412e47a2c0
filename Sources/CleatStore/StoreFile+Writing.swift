import CleatAPI
import CleatJSON
import CleatSettings

extension StoreFile {
    /// Parses a stored value; nil if this release cannot read it.
    static func value(_ text: String) -> JSONValue? {
        try? JSONReader.read(text)
    }

    /// True if the file system has less free space than `limits.freeBytes`.
    var hasLowSpace: Bool { directory.freeBytes.map { $0 < limits.freeBytes } ?? false }

    /// Returns the number of the next generation; throws unless `count` more numbers remain, such as one for the
    /// revert.
    func nextNumber(leaving count: Int64 = 1) throws(StoreError) -> Int64 {
        guard lastNumber < .max - count else {
            throw StoreError(.limit, directory.path, "The store has no more numbers for generations; make a new one.")
        }
        return lastNumber + 1
    }

    /// Throws if a file system that is short of space has none for a large change.
    ///
    /// The change might fit into the log, but the log's content must fit into the main file before the log's space can
    /// be reused: on a full disk one large change would be the last one. Small changes use the space that pruned
    /// history frees.
    func checkRoom(for bytes: Int64, of id: String, _ database: Database) throws(StoreError) {
        guard bytes > StoreLimits.smallBytes, hasLowSpace, let free = directory.freeBytes else { return }
        let pages = try sqlite { () throws(SQLiteError) -> Int64? in try database.value("PRAGMA freelist_count") }
        let room = free + (pages ?? 0) * Int64(StoreFormat.pageSize)
        guard bytes > room else { return }
        throw StoreError(
            .diskFull, id,
            "The change was not stored, because it takes \(bytes) bytes and the file system of the store "
                + "“\(directory.path)” has room for \(room); free space and try again.")
    }

    /// Runs `body` in one transaction: all of it is durable when this returns, or none of it is there.
    ///
    /// On a full disk `body` may run a second time, after the log's space was freed.
    func durably<Value>(
        _ database: Database, _ body: () throws(SQLiteError) -> Value
    ) throws(StoreError) -> Value {
        let value = try sqlite { () throws(SQLiteError) -> Value in
            do throws(SQLiteError) {
                return try database.transaction(body)
            } catch {
                guard error.code.primary == .full else { throw error }
                // The log's file cannot grow, but its content may be moved to the main file, and its space reused.
                _ = try? database.checkpoint()
                return try database.transaction(body)
            }
        }
        commits &+= 1
        // From now on the log holds changes that the main file does not.
        if noted?.isClosed == true { noteNewest() }
        return value
    }

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
        _ request: CommitRequest, _ next: Int64, _ size: Int64, state: String, _ database: Database
    ) throws(SQLiteError) {
        try database.run(
            StoreFormat.insertGeneration,
            [
                .integer(next), .text(request.id), .text(request.hash), .integer(request.stamp.time),
                .text(request.stamp.bootID), .integer(request.stamp.bootTime),
                .integer(request.stamp.synchronised ? 1 : 0), .text(request.author), .optional(request.comment),
                .text(state), .integer(size), .integer(formerBytes &+ besideBytes &+ database.bytesWritten),
                .integer(formerSyncs &+ besideSyncs &+ database.syncs),
            ])
    }
}

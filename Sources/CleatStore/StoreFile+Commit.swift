import CleatAPI
import CleatJSON
import CleatSettings

extension StoreFile {
    /// A row of `changes` that is about to be written.
    private struct Row {
        var path: SettingPath
        var old: String?
        var new: String?

        var size: Int64 {
            Int64(path.text.utf8.count + (old?.utf8.count ?? 0) + (new?.utf8.count ?? 0) + 16)
        }
    }

    /// Writes changes as one more generation: durable when this returns, or not there at all.
    ///
    /// An id that is known answers first: with the same hash as before it gives the same result, so that a retry after a
    /// lost answer is safe. Then `expect` is checked. Changes that change nothing are not written.
    ///
    /// - Parameter request: what to write.
    /// - Returns: what became of it.
    /// - Throws: a conflict, a reused id, a limit, or what the storage said.
    package func commit(_ request: CommitRequest) throws(StoreError) -> CommitOutcome {
        let database = try open()
        try checkLimits(request)
        if let former = try record(id: request.id) {
            guard former.hash == request.hash, former.state != GenerationRecord.restored else {
                throw StoreError(
                    .idReused, request.id,
                    "The id “\(request.id)” was used before, for the other changes of generation \(former.number); "
                        + "send these with an id of their own.",
                    generation: GenerationRef(store: storeID, generation: former.number))
            }
            return .repeated(former)
        }
        if let expect = request.expect, expect != generation {
            throw StoreError(
                .conflict, "\(expect.generation)",
                "The settings have changed: the store is at generation \(number)"
                    + (expect.store == storeID ? "" : " of another store") + ", not at \(expect.generation); "
                    + "read them again and decide anew.",
                generation: generation)
        }
        let rows = try effectiveRows(request, database)
        guard !rows.isEmpty else { return .unchanged(generation) }
        try write(rows, request, database)
        return .committed(
            generation,
            rows.map { StoredChange(path: $0.path, old: $0.old.flatMap(Self.value), new: $0.new.flatMap(Self.value)) })
    }

    /// Reads a stored value; nil where it is none that this release can read.
    static func value(_ text: String) -> JSONValue? {
        try? JSONReader.read(text)
    }

    private func checkLimits(_ request: CommitRequest) throws(StoreError) {
        func refuse(_ what: String, _ limit: String) -> StoreError {
            StoreError(.limit, request.id, "The change was not stored, because \(what); the limit is \(limit).")
        }
        if request.id.isEmpty || request.id.utf8.count > StoreLimits.idBytes {
            throw refuse("its id has \(request.id.utf8.count) bytes", "1 to \(StoreLimits.idBytes) bytes")
        }
        if (request.comment?.utf8.count ?? 0) > StoreLimits.commentBytes {
            throw refuse("its comment is too long", "\(StoreLimits.commentBytes) bytes")
        }
        for word in [request.hash, request.author, request.stamp.bootID] where word.utf8.count > StoreLimits.wordBytes {
            throw refuse("its hash, author or boot id is too long", "\(StoreLimits.wordBytes) bytes")
        }
        if request.changes.count > StoreLimits.changes {
            throw refuse("it changes \(request.changes.count) leaves", "\(StoreLimits.changes) leaves")
        }
    }

    /// The rows that differ from what is stored, sorted by path.
    private func effectiveRows(_ request: CommitRequest, _ database: Database) throws(StoreError) -> [Row] {
        var rows: [Row] = []
        var added = 0
        for change in request.changes.sorted(by: { $0.path < $1.path }) {
            let new: String? =
                switch change.new {
                case nil, .null?: nil
                case let value?: value.canonicalText
                }
            if let new, new.utf8.count > StoreLimits.valueBytes {
                throw StoreError(
                    .limit, change.path.text,
                    "The value of “\(change.path.text)” was not stored, because it has \(new.utf8.count) bytes; the limit "
                        + "is \(StoreLimits.valueBytes) bytes.")
            }
            let old = try sqlite { () throws(SQLiteError) -> String? in
                let statement = try database.cached("SELECT value FROM settings WHERE path = ?")
                defer { statement.reset() }
                try statement.bind([.text(change.path.text)])
                return try statement.step() ? try statement.column(0, as: String.self) : nil
            }
            guard old != new else { continue }
            added += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
            rows.append(Row(path: change.path, old: old, new: new))
        }
        if added > 0, settingsCount + added > limits.settings {
            throw StoreError(
                .limit, directory.path,
                "The change was not stored, because there would be \(settingsCount + added) settings; the limit is "
                    + "\(limits.settings) settings.")
        }
        return rows
    }

    private func write(_ rows: [Row], _ request: CommitRequest, _ database: Database) throws(StoreError) {
        let (next, overflow) = number.addingReportingOverflow(1)
        if overflow {
            throw StoreError(.limit, directory.path, "The store has no more numbers for generations; make a new one.")
        }
        let size = rows.reduce(160 + Int64(request.comment?.utf8.count ?? 0)) { $0 + $1.size }
        let lowSpace = directory.freeBytes.map { $0 < limits.freeBytes } ?? false
        let transaction = { () throws(SQLiteError) -> Pruned in
            try database.transaction { () throws(SQLiteError) in
                try self.insert(rows, next, size, request, database)
                return try self.prune(adding: (1, size), lowSpace: lowSpace, database)
            }
        }
        let pruned = try sqlite { () throws(SQLiteError) -> Pruned in
            do throws(SQLiteError) {
                return try transaction()
            } catch {
                guard error.code.primary == .full else { throw error }
                // The log's file cannot grow, but what is in it may be moved to the main file, and its room used again.
                try? database.checkpoint()
                return try transaction()
            }
        }
        number = next
        commits &+= 1
        settingsCount += rows.reduce(0) { $0 + ($1.new == nil ? 0 : 1) - ($1.old == nil ? 0 : 1) }
        historyCount += 1 - pruned.count
        historyBytes += size - pruned.bytes
    }

    private func insert(
        _ rows: [Row], _ next: Int64, _ size: Int64, _ request: CommitRequest, _ database: Database
    ) throws(SQLiteError) {
        for row in rows {
            let path = SQLiteValue.text(row.path.text)
            if let new = row.new {
                try database.run(
                    "INSERT OR REPLACE INTO settings(path, value, generation) VALUES(?, ?, ?)",
                    [path, .text(new), .integer(next)])
            } else {
                try database.run("DELETE FROM settings WHERE path = ?", [path])
            }
            try database.run(
                "INSERT INTO changes(generation, path, old, new) VALUES(?, ?, ?, ?)",
                [.integer(next), path, .optional(row.old), .optional(row.new)])
        }
        try database.run(
            StoreFormat.insertGeneration,
            [
                .integer(next), .text(request.id), .text(request.hash), .integer(request.stamp.time),
                .text(request.stamp.bootID), .integer(request.stamp.bootTime),
                .integer(request.stamp.synchronised ? 1 : 0), .text(request.author), .optional(request.comment),
                .text(GenerationRecord.confirmed), .integer(size),
                .integer(formerBytes &+ besideBytes &+ database.bytesWritten),
                .integer(formerSyncs &+ besideSyncs &+ database.syncs),
            ])
    }
}

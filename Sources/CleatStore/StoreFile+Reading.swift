import CleatAPI
package import CleatSettings

extension StoreFile {
    /// Reads all confirmed settings, with which the device boots.
    ///
    /// Changes on trial are not included; `trial()` returns them.
    package func snapshot() throws(StoreError) -> StoredState {
        let database = try open()
        var state = StoredState(generation: generation, settings: [], unreadable: [])
        state.settings.reserveCapacity(settingsCount)
        try sqlite { () throws(SQLiteError) in
            let rows = try database.prepare(
                """
                SELECT path, value, settings.generation, author FROM settings \
                LEFT JOIN generations ON number = settings.generation ORDER BY path
                """)
            while try rows.step() {
                let text: String = try rows.column(0)
                guard let path = try? SettingPath(text), let value = Self.value(try rows.column(1)) else {
                    state.unreadable.append(text)
                    continue
                }
                state.settings.append(
                    StoredSetting(
                        path: path, value: value, generation: try rows.column(2), author: try rows.column(3)))
            }
        }
        database.releaseMemory()
        return state
    }

    /// Reads one confirmed setting; nil if there is none, or none that this release can read.
    package func setting(at path: SettingPath) throws(StoreError) -> StoredSetting? {
        let database = try open()
        return try sqlite { () throws(SQLiteError) -> StoredSetting? in
            let row = try database.cached(
                """
                SELECT value, settings.generation, author FROM settings \
                LEFT JOIN generations ON number = settings.generation WHERE path = ?
                """)
            defer { row.reset() }
            try row.bind([.text(path.text)])
            guard try row.step(), let value = Self.value(try row.column(0)) else { return nil }
            return StoredSetting(path: path, value: value, generation: try row.column(1), author: try row.column(2))
        }
    }

    /// Reads one page of the history, newest first, including generations that are on trial or were undone.
    ///
    /// - Parameters:
    ///   - before: the number below which generations are returned; nil for the newest.
    ///   - limit: the maximum number of generations; large ones make a page shorter.
    /// - Returns: at least one generation if there is one.
    /// - Throws: a storage error.
    package func generations(before: Int64?, limit: Int) throws(StoreError) -> [GenerationRecord] {
        let database = try open()
        let limit = min(max(limit, 1), StoreLimits.page)
        return try sqlite { () throws(SQLiteError) in
            let rows = try database.prepare(
                "SELECT \(Self.columns), size FROM generations WHERE number < ? ORDER BY number DESC LIMIT ?",
                [.integer(before ?? .max), .integer(Int64(limit))])
            var page: [GenerationRecord] = []
            var bytes: Int64 = 0
            while try rows.step() {
                bytes &+= try rows.column(10, as: Int64.self)
                if !page.isEmpty, bytes > StoreLimits.pageBytes { break }
                page.append(try record(rows, database))
            }
            return page
        }
    }

    /// Finds the generation that an id was used for.
    package func record(id: String) throws(StoreError) -> GenerationRecord? {
        try record(where: "id = ?", .text(id))
    }

    /// Finds a generation by its number.
    package func record(number: Int64) throws(StoreError) -> GenerationRecord? {
        try record(where: "number = ?", .integer(number))
    }

    /// Compares two generations.
    ///
    /// A generation that is on trial, or was undone, counts with the settings that it would have brought. The
    /// generation after it undoes them, so that both together make no difference.
    ///
    /// - Parameters:
    ///   - from: the number of the first generation; 0 is the empty store.
    ///   - to: the number of the second generation; it may be the older one.
    ///   - keepsSame: true to include settings that were changed and changed back, or rewritten with the same value.
    /// - Returns: the changes that turn `from` into `to`, sorted by the bytes of the paths.
    /// - Throws: an error if one of them does not exist, or not any more.
    package func differences(
        from: Int64, to: Int64, keepsSame: Bool = false
    ) throws(StoreError) -> [StoredChange] {
        let database = try open()
        let range = min(from, to)...max(from, to)
        guard range.lowerBound >= 0, range.upperBound <= lastNumber else {
            let missing = range.lowerBound < 0 ? range.lowerBound : range.upperBound
            throw StoreError(
                .unknownGeneration, "\(missing)",
                "There is no generation \(missing); the store's last one is \(lastNumber).",
                generation: GenerationRef(store: storeID, generation: lastNumber))
        }
        if range.lowerBound < range.upperBound { try refuseGaps(in: range, database) }
        return try sqlite { () throws(SQLiteError) in
            try fold(database, range, backwards: from > to).filter { keepsSame || $0.old != $0.new }
        }
    }

    /// Finds the newest change of an author that is in force, and the changes of others since.
    ///
    /// A change that was undone is skipped, and so is the generation that undid it: both together are no change.
    ///
    /// - Parameter author: the author; nil for any.
    /// - Returns: nil if no change is in force, since none was made or the settings were restored by a repair of the
    ///   store.
    /// - Throws: a storage error.
    package func newestChange(of author: String?) throws(StoreError) -> NewestChange? {
        let database = try open()
        return try sqlite { () throws(SQLiteError) -> NewestChange? in
            // Only generations that undo a trial, or were written by a repair, have no hash: no client requested them.
            let newest = try database.prepare(
                """
                SELECT number, state, author FROM generations WHERE state <> ? AND (hash <> '' OR state = ?) \
                ORDER BY number DESC LIMIT \(NewestChange.limit)
                """, [.text(GenerationRecord.reverted), .text(GenerationRecord.restored)])
            var later: [NewestChange.Other] = []
            while try newest.step(), try newest.column(1, as: String.self) != GenerationRecord.restored {
                let number: Int64 = try newest.column(0)
                let name: String = try newest.column(2)
                guard author == nil || name == author else {
                    later.append(NewestChange.Other(number: number, author: name))
                    continue
                }
                return NewestChange(number: number, before: try before(number, database), later: later)
            }
            // The author has no change: the newest change of others is still useful.
            guard let first = later.first else { return nil }
            return NewestChange(number: nil, before: try before(first.number, database), later: later)
        }
    }

    /// Returns the number of a generation with the settings before a change; nil if the history is empty.
    private func before(_ number: Int64, _ database: Database) throws(SQLiteError) -> Int64? {
        if let before: Int64 = try database.value(
            "SELECT number FROM generations WHERE number < ? AND state <> ? ORDER BY number DESC LIMIT 1",
            [.integer(number), .text(GenerationRecord.reverted)])
        {
            return before
        }
        // The changes of the oldest generation in the history hold the values before it.
        let oldest: Int64? = try database.value("SELECT min(number) FROM generations")
        return oldest.map { $0 - 1 }
    }

    /// Throws if changes between two generations are not known, or not any more.
    private func refuseGaps(in range: ClosedRange<Int64>, _ database: Database) throws(StoreError) {
        let (first, restored) = try sqlite { () throws(SQLiteError) -> (Int64, Int64?) in
            let oldest = try database.prepare("SELECT number, state FROM generations ORDER BY number LIMIT 1")
            guard try oldest.step() else { return (lastNumber, nil) }
            let first: Int64 = try oldest.column(0)
            let isRestored = try oldest.column(1, as: String.self) == GenerationRecord.restored
            let restored: Int64? = try database.value(
                "SELECT number FROM generations WHERE state = ? AND number > ? AND number <= ? ORDER BY number DESC",
                [.text(GenerationRecord.restored), .integer(range.lowerBound), .integer(range.upperBound)])
            return (isRestored ? first : first - 1, restored)
        }
        guard range.lowerBound >= first else {
            throw StoreError(
                .historyGone, "\(range.lowerBound)",
                "Generation \(range.lowerBound) cannot be compared any more, because the history begins at \(first); name "
                    + "a later one.",
                generation: GenerationRef(store: storeID, generation: first))
        }
        for bound in [range.lowerBound, range.upperBound] where bound > first && restored == nil {
            guard try record(number: bound) == nil else { continue }
            throw StoreError(
                .historyGone, "\(bound)", "Generation \(bound) was lost with the log of the store; name another one.",
                generation: GenerationRef(store: storeID, generation: lastNumber))
        }
        guard let restored else { return }
        throw StoreError(
            .historyGone, "\(range.lowerBound)",
            "Generation \(range.lowerBound) cannot be compared with those from \(restored) on, because changes before that "
                + "were lost; name a later one.",
            generation: GenerationRef(store: storeID, generation: restored))
    }

    private func fold(
        _ database: Database, _ range: ClosedRange<Int64>, backwards: Bool
    ) throws(SQLiteError) -> [StoredChange] {
        let rows = try database.prepare(
            "SELECT path, old, new FROM changes WHERE generation > ? AND generation <= ? ORDER BY generation",
            [.integer(range.lowerBound), .integer(range.upperBound)])
        var ends: [SettingPath: (old: String?, new: String?)] = [:]
        while try rows.step() {
            guard let path = try? SettingPath(try rows.column(0, as: String.self)) else { continue }
            let new: String? = try rows.column(2)
            if let former = ends[path] {
                ends[path] = (former.old, new)
            } else {
                ends[path] = (try rows.column(1), new)
            }
        }
        return ends.sorted { $0.key < $1.key }.map { path, ends in
            let old = ends.old.flatMap(Self.value)
            let new = ends.new.flatMap(Self.value)
            return StoredChange(path: path, old: backwards ? new : old, new: backwards ? old : new)
        }
    }

    static let columns =
        "number, id, hash, time, boot_id, boot_time, synchronised, author, comment, state"

    private func record(where condition: String, _ value: SQLiteValue) throws(StoreError) -> GenerationRecord? {
        let database = try open()
        return try sqlite { () throws(SQLiteError) -> GenerationRecord? in
            let row = try database.cached("SELECT \(Self.columns) FROM generations WHERE \(condition)")
            defer { row.reset() }
            try row.bind([value])
            return try row.step() ? try record(row, database) : nil
        }
    }

    func record(_ row: Statement, _ database: Database) throws(SQLiteError) -> GenerationRecord {
        let number: Int64 = try row.column(0)
        let stamp = CommitStamp(
            time: try row.column(3), bootID: try row.column(4), bootTime: try row.column(5),
            synchronised: try row.column(6))
        return GenerationRecord(
            number: number, id: try row.column(1), hash: try row.column(2), stamp: stamp, author: try row.column(7),
            comment: try row.column(8), state: try row.column(9), changes: try changes(of: number, database),
            results: try results(of: number, database))
    }

    /// Reads the changes of a generation, sorted by the bytes of the paths.
    func changes(of number: Int64, _ database: Database) throws(SQLiteError) -> [StoredChange] {
        let rows = try database.cached("SELECT path, old, new FROM changes WHERE generation = ? ORDER BY path")
        defer { rows.reset() }
        try rows.bind([.integer(number)])
        var changes: [StoredChange] = []
        while try rows.step() {
            guard let path = try? SettingPath(try rows.column(0, as: String.self)) else { continue }
            changes.append(ChangedRow(path: path, old: try rows.column(1), new: try rows.column(2)).change)
        }
        return changes
    }
}

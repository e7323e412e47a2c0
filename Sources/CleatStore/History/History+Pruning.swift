extension History {

    /// Deletes the history beyond its bounds in batches, each a transaction of its own.
    ///
    /// Commits prune as well; this is for bounds that were lowered.
    package func prune() throws(StoreError) {
        let database = try store.open()
        while true {
            let pruned = try store.sqlite { () throws(SQLiteError) -> (count: Int, bytes: Int64) in
                guard isBeyond(store.figures.historyCount, store.figures.historyBytes) else { return (0, 0) }
                return try database.transaction { () throws(SQLiteError) in
                    try prune(adding: (0, 0), lowSpace: false, database)
                }
            }
            guard pruned.count > 0 else { return }
            store.wear.commits &+= 1
            store.figures.historyCount -= pruned.count
            store.figures.historyBytes -= pruned.bytes
        }
    }

    /// Deletes the oldest generations in the open transaction, so that it costs no flush of its own.
    ///
    /// Once a bound is exceeded, a few more generations are deleted than necessary, so that not every commit touches
    /// the oldest pages too. A generation on trial stays, as do the one before it and all later ones.
    ///
    /// The caller prunes before it adds anything: if space is short, deleted rows leave whole pages for the new ones,
    /// so that the file need not grow on a full disk.
    ///
    /// - Parameters:
    ///   - more: the number and the bytes of the generations that this transaction adds to the history.
    ///   - lowSpace: true if the file system has less free space than `limits.freeBytes`.
    ///   - armed: the number of a generation that goes on trial in this transaction.
    ///   - database: the connection.
    /// - Returns: the number and the bytes of the deleted generations.
    /// - Throws: an SQLite error.
    func prune(
        adding more: (count: Int, bytes: Int64), lowSpace: Bool, armed: Int64? = nil, _ database: Database
    ) throws(SQLiteError) -> (count: Int, bytes: Int64) {
        let count = store.figures.historyCount + more.count
        let bytes = store.figures.historyBytes + more.bytes
        let beyond = isBeyond(count, bytes)
        guard beyond || lowSpace else { return (0, 0) }
        let keptCount = max(StoreLimits.fewestGenerations, fewest(store.limits.generations))
        let keptBytes = store.limits.historyBytes - store.limits.historyBytes / 16
        // A transaction with several generations deletes about as many as one for each of them would.
        let generations = max(1, more.count)
        let spared = lowSpace ? try sparedForSpace(database) + 2 * (generations - 1) : 0
        var pruned: (count: Int, bytes: Int64) = (0, 0)
        var last: Int64?
        let oldest = try database.prepare(
            "SELECT number, size FROM generations WHERE number < ? ORDER BY number LIMIT ?",
            [
                .integer((armed ?? store.figures.pending).map { $0 - 1 } ?? .max),
                .integer(Int64(StoreLimits.pruneBatch * generations)),
            ])
        while try oldest.step() {
            let left = (count: count - pruned.count, bytes: bytes - pruned.bytes)
            guard left.count > StoreLimits.fewestGenerations else { break }
            let must = beyond && (left.count > keptCount || left.bytes > keptBytes)
            guard must || pruned.count < spared else { break }
            last = try oldest.column(0)
            pruned.count += 1
            pruned.bytes += try oldest.column(1, as: Int64.self)
        }
        guard let last else { return (0, 0) }
        let contents = ContentTable(store: store)
        let namesContents = try contents.areNamed(upTo: last, database)
        try database.run("DELETE FROM changes WHERE generation <= ?", [.integer(last)])
        try database.run("DELETE FROM results WHERE generation <= ?", [.integer(last)])
        try database.run("DELETE FROM generations WHERE number <= ?", [.integer(last)])
        if namesContents { try contents.dropUnnamed(database) }
        return pruned
    }

    /// Returns the number of generations to delete if space is short: two, or more while few pages are free.
    private func sparedForSpace(_ database: Database) throws(SQLiteError) -> Int {
        let pages: Int64 = try database.value("PRAGMA freelist_count") ?? 0
        return pages < 8 ? StoreLimits.pruneBatch / 2 : 2
    }

    private func isBeyond(_ count: Int, _ bytes: Int64) -> Bool {
        guard count > StoreLimits.fewestGenerations else { return false }
        return count > store.limits.generations || bytes > store.limits.historyBytes
    }

    /// Returns the number of generations to keep once a bound was exceeded.
    private func fewest(_ bound: Int) -> Int { bound - min(32, bound / 8) }
}

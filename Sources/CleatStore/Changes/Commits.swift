import CleatSettings

/// The changes of a store that take effect at once.
package struct Commits {
    let store: StoreDatabase

    private var history: History { History(store: store) }
    private var settings: SettingsTable { SettingsTable(store: store) }

    /// Writes changes as a new generation: durable when this returns, or not stored at all.
    ///
    /// A known id is handled first: with the same hash as before it gives the same result, so that a retry after a lost
    /// reply is safe. Then the commit is refused if another change is on trial, and `expect` is checked. Changes
    /// without an effect are not written.
    ///
    /// - Parameter request: the changes to write.
    /// - Returns: the outcome.
    /// - Throws: a conflict, a reused id, a limit, a pending trial, or a storage error.
    package func commit(_ request: CommitRequest) throws(StoreError) -> CommitOutcome {
        let database = try store.open()
        try checkLimits(request)
        if let former = try former(request) { return .repeated(former) }
        try TrialTable(store: store).refuseWhilePending()
        try checkExpected(request)
        let rows = try settings.effectiveRows(request, database)
        guard !rows.isEmpty else { return .unchanged(store.generation) }
        try write(rows, request, database)
        return .committed(store.generation, rows.map(\.change))
    }

    private func write(
        _ rows: [ChangedRow], _ request: CommitRequest, _ database: Database
    ) throws(StoreError) {
        let next = try store.nextNumber()
        let size = ChangedRow.size(of: rows, comment: request.comment)
        // The new values are written twice: as settings, and as history.
        try store.checkSpace(for: 2 * size, of: request.id, database)
        let lowSpace = store.hasLowSpace
        let pruned = try store.durably(database) { () throws(SQLiteError) -> (count: Int, bytes: Int64) in
            let pruned = try history.prune(adding: (1, size), lowSpace: lowSpace, database)
            try settings.apply(rows, of: next, database)
            try history.insert(rows, next, database)
            try history.insert(request, next, size, state: .confirmed, database)
            return pruned
        }
        store.figures.number = next
        store.figures.lastNumber = next
        for row in rows { store.figures.change(row.path.text, from: row.old, to: row.new) }
        store.noteNewest()
        store.figures.add(size, pruned: pruned)
    }

    /// Finds the generation of an earlier request with the same id and the same changes.
    func former(_ request: CommitRequest) throws(StoreError) -> GenerationRecord? {
        guard let former = try history.record(id: request.id) else { return nil }
        guard former.hash == request.hash, former.state != .restored else {
            throw StoreError(
                .idReused, request.id,
                "The id “\(request.id)” was used before, for the other changes of generation \(former.number); "
                    + "send these with an id of their own.",
                generation: store.reference(former.number))
        }
        return former
    }

    /// Throws if a request was made for another generation than the confirmed one.
    func checkExpected(_ request: CommitRequest) throws(StoreError) {
        guard let expect = request.expect, expect != store.generation else { return }
        throw StoreError(
            .conflict, "\(expect.generation)",
            "The settings have changed: the store is at generation \(store.figures.number)"
                + (expect.store == store.figures.storeID ? "" : " of another store") + ", not at \(expect.generation); "
                + "read them again and decide again.",
            generation: store.generation)
    }

    func checkLimits(_ request: CommitRequest) throws(StoreError) {
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
}

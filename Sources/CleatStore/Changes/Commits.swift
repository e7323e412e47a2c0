package import CleatSettings

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
        let change = NewGeneration(request, try settings.effectiveRows(request, database))
        guard !change.rows.isEmpty else { return .unchanged(store.generation) }
        let first = try write([change], database)
        return .committed(store.reference(first), change.rows.map(\.change))
    }

    /// Writes the changes of several requests, each as a generation of its own, in one transaction.
    ///
    /// They share its flush. All of them are durable when this returns, or none is stored.
    ///
    /// - Parameter requests: the requests, with different paths and ids.
    /// - Returns: the generation of the first one, which those of the others follow in order; nil if one cannot be
    ///   stored together with others, since its id is known, it has no effect, or it shares a path with another one.
    ///   Then nothing is stored.
    /// - Throws: a conflict, a limit, a pending trial, or a storage error; then nothing is stored.
    package func commit(together requests: [CommitRequest]) throws(StoreError) -> GenerationRef? {
        let database = try store.open()
        try TrialTable(store: store).refuseWhilePending()
        var (ids, paths): (Set<String>, Set<SettingPath>) = ([], [])
        var changes: [NewGeneration] = []
        for request in requests {
            try checkLimits(request)
            try checkExpected(request)
            guard ids.insert(request.id).inserted, try history.record(id: request.id) == nil else { return nil }
            for change in request.changes where !paths.insert(change.path).inserted { return nil }
            let added = changes.reduce(0) { $0 + $1.added }
            changes.append(NewGeneration(request, try settings.effectiveRows(request, besides: added, database)))
            if changes.last?.rows.isEmpty != false { return nil }
        }
        return store.reference(try write(changes, database))
    }

    /// A generation that is about to be written.
    private struct NewGeneration {
        let request: CommitRequest
        let rows: [ChangedRow]
        let size: Int64

        init(_ request: CommitRequest, _ rows: [ChangedRow]) {
            (self.request, self.rows) = (request, rows)
            size = ChangedRow.size(of: rows, comment: request.comment)
        }

        /// The effect on the number of settings.
        var added: Int { rows.reduce(0) { $0 + $1.added } }
    }

    /// Writes generations in one transaction.
    ///
    /// - Returns: the number of the first one.
    private func write(_ changes: [NewGeneration], _ database: Database) throws(StoreError) -> Int64 {
        let first = try store.nextNumber(leaving: Int64(changes.count))
        let size = changes.reduce(0) { $0 + $1.size }
        // The new values are written twice: as settings, and as history.
        try store.checkSpace(for: 2 * size, of: changes.first?.request.id ?? "", database)
        let lowSpace = store.hasLowSpace
        let pruned = try store.durably(database) { () throws(SQLiteError) -> (count: Int, bytes: Int64) in
            let pruned = try history.prune(adding: (changes.count, size), lowSpace: lowSpace, database)
            var number = first
            for change in changes {
                try settings.apply(change.rows, of: number, database)
                try history.insert(change.rows, number, database)
                try history.insert(change.request, number, change.size, state: .confirmed, database)
                number += 1
            }
            return pruned
        }
        store.figures.number = first + Int64(changes.count - 1)
        store.figures.lastNumber = store.figures.number
        for row in changes.lazy.flatMap(\.rows) { store.figures.change(row.path.text, from: row.old, to: row.new) }
        store.noteNewest()
        store.figures.add(size, of: changes.count, pruned: pruned)
        return first
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

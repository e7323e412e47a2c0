import CleatSettings

/// The snapshots of a store: settings and the states of resources under a name, which no commit ever deletes.
package final class SnapshotStore {
    let store: StoreDatabase
    /// The number of snapshots and the bytes of their objects; nil until they are first needed.
    var known: SnapshotTotals?
    /// The hashes of the pages of the last snapshot that was made here.
    private var hashes = PageHashes()

    init(_ store: StoreDatabase) { self.store = store }

    /// Returns the number of snapshots, and the bytes of their objects.
    func totals() throws(StoreError) -> SnapshotTotals {
        if let known { return known }
        let database = try store.open()
        let totals = try store.sqlite { () throws(SQLiteError) in try SnapshotTables(database: database).totals() }
        known = totals
        return totals
    }

    /// Creates a snapshot in one transaction: durable when this returns, or not stored at all.
    ///
    /// It holds the settings of the request, or the confirmed ones, and the mementos of the resources. Only objects
    /// that the store does not have yet are written. No commit ever deletes a snapshot.
    ///
    /// - Parameter request: the content of the snapshot.
    /// - Returns: the snapshot; its own bytes are the bytes that were written. Or the objects that the store lacks, if
    ///   the request only refers to them: then nothing was stored.
    /// - Throws: an error for a name that is not valid or is taken, a change on trial, settings other than the expected
    ///   ones, or a limit; or a storage error.
    package func create(_ request: SnapshotRequest) throws(StoreError) -> SnapshotOutcome {
        let database = try store.open()
        try check(request)
        let tables = SnapshotTables(database: database)
        let totals = try self.totals()
        if try store.sqlite({ () throws(SQLiteError) in try tables.record(request.name) }) != nil {
            throw StoreError(
                .exists, request.name,
                "There is a snapshot “\(request.name)” already; take another name, or 'cleat snapshot delete' that one."
            )
        }
        guard totals.count < store.limits.snapshots else {
            throw StoreError(
                .limit, request.name,
                "The snapshot “\(request.name)” was not made, because there are \(totals.count) of them, and the limit is "
                    + "\(store.limits.snapshots); delete one that is not needed ('cleat snapshot delete').")
        }
        let settings: [SnapshotSetting]
        if let given = request.settings {
            settings = given
        } else {
            settings = try confirmedSettings(request, database)
        }
        let plan = try store.sqlite { () throws(SQLiteError) in
            try SnapshotPlan(request, with: settings, in: tables, &hashes)
        }
        guard plan.missing.isEmpty else { return .lacking(plan.missing) }
        let kept = totals.bytes - plan.replaced
        try checkSpace(for: plan.added, besides: kept, request.name, database)
        try store.durably(database) { () throws(SQLiteError) in try tables.insert(plan) }
        known = SnapshotTotals(count: totals.count + 1, bytes: kept + plan.added)
        database.releaseMemory()
        return .made(StoredSnapshot(plan.record, bytes: plan.bytes, ownBytes: plan.added))
    }

    /// Deletes a snapshot, and the objects that no other one holds: durable when this returns, or still there.
    ///
    /// The file does not shrink: its pages are reused. While another snapshot is damaged, so that its objects are not
    /// known, all objects stay until that one is deleted.
    ///
    /// - Returns: the bytes of the deleted objects.
    /// - Throws: an error if no snapshot has that name; or a storage error.
    @discardableResult
    package func delete(_ name: String) throws(StoreError) -> Int64 {
        let database = try store.open()
        guard try record(name) != nil else { throw unknownSnapshot(name) }
        let totals = try self.totals()
        let freed = try store.durably(database) { () throws(SQLiteError) in
            try SnapshotTables(database: database).delete(name)
        }
        known = SnapshotTotals(count: totals.count - 1, bytes: totals.bytes - freed)
        database.releaseMemory()
        return freed
    }

    private func check(_ request: SnapshotRequest) throws(StoreError) {
        func refuse(_ what: String, _ limit: String) -> StoreError {
            StoreError(
                .limit, request.name,
                "The snapshot “\(request.name)” was not made, because \(what); the limit is \(limit).")
        }
        try Self.checkName(request.name)
        if (request.comment?.utf8.count ?? 0) > StoreLimits.commentBytes {
            throw refuse("its comment is too long", "\(StoreLimits.commentBytes) bytes")
        }
        for word in [request.author, request.generation.store, request.stamp.bootID]
        where word.utf8.count > StoreLimits.wordBytes {
            throw refuse("its author, store or boot id is too long", "\(StoreLimits.wordBytes) bytes")
        }
        if request.resources.count > StoreLimits.mementos {
            throw refuse("it holds \(request.resources.count) resources", "\(StoreLimits.mementos) resources")
        }
        if let settings = request.settings, settings.count > store.limits.settings {
            throw refuse("it holds \(settings.count) settings", "\(store.limits.settings) settings")
        }
        for item in request.resources {
            if item.resource.isEmpty || item.resource.utf8.count > StoreLimits.resourceBytes {
                throw refuse(
                    "the name of a resource has \(item.resource.utf8.count) bytes",
                    "1 to \(StoreLimits.resourceBytes) bytes")
            }
            if item.adapter.utf8.count > StoreLimits.wordBytes {
                throw refuse(
                    "the name of the adapter of “\(item.resource)” is too long", "\(StoreLimits.wordBytes) bytes")
            }
            if let state = item.state, state.size > StoreLimits.mementoBytes {
                throw refuse(
                    "the memento of “\(item.resource)” has \(state.size) bytes", "\(StoreLimits.mementoBytes) bytes")
            }
        }
    }

    /// Throws if a name is not valid for a snapshot.
    private static func checkName(_ name: String) throws(StoreError) {
        let isPlain = name.unicodeScalars.allSatisfy {
            !(0...0x1f).contains($0.value) && !(0x7f...0x9f).contains($0.value)
        }
        guard (1...StoreLimits.snapshotNameBytes).contains(name.utf8.count), isPlain else {
            throw StoreError(
                .invalidName, name,
                "The name of a snapshot has 1 to \(StoreLimits.snapshotNameBytes) bytes and no control characters; take "
                    + "another one.")
        }
    }

    /// Reads the settings of the last confirmed generation; throws if a change is on trial.
    private func confirmedSettings(
        _ request: SnapshotRequest, _ database: Database
    ) throws(StoreError) -> [SnapshotSetting] {
        if let trial = try TrialTable(store: store).head() {
            throw StoreError(
                .pending, trial.id,
                "The snapshot was not made, because the change “\(trial.id)” of “\(trial.owner)” is on trial; confirm it "
                    + "or abort it, and try again.",
                generation: trial.generation)
        }
        guard request.generation == store.generation else {
            throw StoreError(
                .conflict, "\(request.generation.generation)",
                "The snapshot was not made, because the store is at generation \(store.figures.number), not at "
                    + "\(request.generation.generation); try again.",
                generation: store.generation)
        }
        return try store.sqlite { () throws(SQLiteError) in
            var settings: [SnapshotSetting] = []
            settings.reserveCapacity(store.figures.settingsCount)
            let rows = try database.prepare("SELECT path, value FROM settings ORDER BY path")
            while try rows.step() {
                settings.append(SnapshotSetting(path: try rows.column(0), value: try rows.column(1)))
            }
            return settings
        }
    }

    private func checkSpace(
        for added: Int64, besides kept: Int64, _ name: String, _ database: Database
    ) throws(StoreError) {
        if kept + added > store.limits.snapshotBytes {
            throw StoreError(
                .limit, name,
                "The snapshot “\(name)” was not made, because it takes \(added) bytes more, snapshots hold \(kept) "
                    + "bytes already, and the limit is \(store.limits.snapshotBytes) bytes; delete one that is not needed "
                    + "('cleat snapshot delete').")
        }
        guard let free = store.directory.freeBytes else { return }
        let pages = try store.sqlite { () throws(SQLiteError) -> Int64? in try database.value("PRAGMA freelist_count") }
        // Space for the log and for the main file, less the free pages of the main file, which can all be used.
        let needed = added + max(0, added - (pages ?? 0) * Int64(StoreFormat.pageSize))
        guard free - needed < store.limits.freeBytes else { return }
        throw StoreError(
            .diskFull, name,
            "The snapshot “\(name)” was not made, because it takes \(needed) bytes, the file system of the store "
                + "“\(store.directory.path)” has \(free) free, and \(store.limits.freeBytes) of them are kept for settings; free space, "
                + "or delete a snapshot that is not needed ('cleat snapshot delete').")
    }
}

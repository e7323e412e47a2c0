import CleatAPI

extension StoreFile {
    /// The number of snapshots and the bytes of their objects, kept in memory.
    struct SnapshotTotals {
        var count: Int
        var bytes: Int64
    }

    /// Creates a snapshot in one transaction: durable when this returns, or not stored at all.
    ///
    /// It holds the settings of the request, or the confirmed ones, and the mementos of the resources. Only objects
    /// that the store does not have yet are written. No commit ever deletes a snapshot.
    ///
    /// - Parameter request: the content of the snapshot.
    /// - Returns: the snapshot; its own bytes are the bytes that were written.
    /// - Throws: an error for a name that is not valid or is taken, a change on trial, settings other than the expected
    ///   ones, or a limit; or a storage error.
    package func createSnapshot(_ request: SnapshotRequest) throws(StoreError) -> StoredSnapshot {
        let database = try open()
        try check(request)
        let totals = try snapshotTotals()
        if try snapshotRecord(request.name) != nil {
            throw StoreError(
                .exists, request.name,
                "There is a snapshot “\(request.name)” already; take another name, or 'cleat snapshot delete' that one."
            )
        }
        guard totals.count < limits.snapshots else {
            throw StoreError(
                .limit, request.name,
                "The snapshot “\(request.name)” was not made, because there are \(totals.count) of them, and the limit is "
                    + "\(limits.snapshots); delete one that is not needed ('cleat snapshot delete').")
        }
        let settings: [SnapshotSetting]
        if let given = request.settings {
            settings = given
        } else {
            settings = try confirmedSettings(request, database)
        }
        let plan = try sqlite { () throws(SQLiteError) in try newObjects(settings, request, database) }
        let kept = totals.bytes - plan.replaced
        try checkRoom(for: plan.added, besides: kept, request.name, database)
        try durably(database) { () throws(SQLiteError) in
            if self.knownSnapshots == nil { try self.makeSnapshotTables(database) }
            for object in plan.objects {
                try database.run(
                    "INSERT OR REPLACE INTO objects(hash, size, bytes) VALUES(?, ?, ?)",
                    [.blob(object.key.bytes), .integer(Int64(object.value.count)), .blob(object.value)])
            }
            try database.run(
                """
                INSERT INTO snapshots(\(SnapshotRecord.columns)) \
                VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """, plan.record.values)
        }
        knownSnapshots = SnapshotTotals(count: totals.count + 1, bytes: kept + plan.added)
        database.releaseMemory()
        return StoredSnapshot(plan.record, bytes: plan.bytes, ownBytes: plan.added)
    }

    private func check(_ request: SnapshotRequest) throws(StoreError) {
        func refuse(_ what: String, _ limit: String) -> StoreError {
            StoreError(
                .limit, request.name,
                "The snapshot “\(request.name)” was not made, because \(what); the limit is \(limit).")
        }
        try Self.checkSnapshotName(request.name)
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
        if let settings = request.settings, settings.count > limits.settings {
            throw refuse("it holds \(settings.count) settings", "\(limits.settings) settings")
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
            if let state = item.state, state.count > StoreLimits.mementoBytes {
                throw refuse(
                    "what “\(item.resource)” is takes \(state.count) bytes", "\(StoreLimits.mementoBytes) bytes")
            }
        }
    }

    /// Throws if a name is not valid for a snapshot.
    static func checkSnapshotName(_ name: String) throws(StoreError) {
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
        if let trial = try head() {
            throw StoreError(
                .pending, trial.id,
                "The snapshot was not made, because the change “\(trial.id)” of “\(trial.owner)” is on trial; confirm it "
                    + "or abort it, and try again.",
                generation: trial.generation)
        }
        guard request.generation == generation else {
            throw StoreError(
                .conflict, "\(request.generation.generation)",
                "The snapshot was not made, because the store is at generation \(number), not at "
                    + "\(request.generation.generation); try again.",
                generation: generation)
        }
        return try sqlite { () throws(SQLiteError) in
            var settings: [SnapshotSetting] = []
            settings.reserveCapacity(settingsCount)
            let rows = try database.prepare("SELECT path, value FROM settings ORDER BY path")
            while try rows.step() {
                settings.append(SnapshotSetting(path: try rows.column(0), value: try rows.column(1)))
            }
            return settings
        }
    }

    private struct Plan {
        var record: SnapshotRecord
        var objects: [ObjectHash: [UInt8]]
        /// The bytes of all objects of the snapshot.
        var bytes: Int64
        /// The bytes of the objects that are new or replace damaged ones.
        var added: Int64
        /// The recorded bytes of the damaged objects that are replaced.
        var replaced: Int64
    }

    /// Finds the objects of a snapshot that the store does not have, or has damaged.
    ///
    /// If the store has a page, it also has the objects that the page names. An imported snapshot is compared byte by
    /// byte, since an import can repair damaged objects. A captured one is not, since the second snapshot should cost
    /// only what differs.
    private func newObjects(
        _ settings: [SnapshotSetting], _ request: SnapshotRequest, _ database: Database
    ) throws(SQLiteError) -> Plan {
        var bytes: Int64 = 0
        var states: [ObjectHash: [UInt8]] = [:]
        var items: [SnapshotItem] = []
        states.reserveCapacity(request.resources.count)
        items.reserveCapacity(request.resources.count)
        for resource in request.resources.sorted(by: { $0.resource.precedes($1.resource) }) {
            let hash = resource.state.map { ObjectHash(of: $0) }
            if let hash { states[hash] = resource.state }
            bytes += Int64(resource.state?.count ?? 0)
            items.append(
                SnapshotItem(
                    resource: resource.resource, adapter: resource.adapter, isSecret: resource.isSecret,
                    size: Int64(resource.state?.count ?? 0), hash: hash))
        }
        let isImported = request.settings != nil
        var objects: [ObjectHash: [UInt8]] = [:]
        var numbers: [[ObjectHash]] = []
        for pages in [SnapshotPage.pages(of: settings), SnapshotPage.pages(of: items)] {
            var hashes: [ObjectHash] = []
            for page in pages {
                let hash = ObjectHash(of: page.bytes)
                hashes.append(hash)
                bytes += Int64(page.bytes.count)
                let isThere = try object(hash, database) == page.bytes
                if isThere, !isImported { continue }
                if !isThere { objects[hash] = page.bytes }
                for child in page.children {
                    guard let state = states[child] else { continue }
                    // An object with another size is damaged, and is written again; bytes are compared when they are
                    // read.
                    let isKept =
                        isImported
                        ? try object(child, database) == state
                        : try objectSize(child, database) == Int64(state.count)
                    if !isKept { objects[child] = state }
                }
            }
            numbers.append(hashes)
        }
        var replaced: Int64 = 0
        for hash in objects.keys { replaced += try statedSize(hash, database) }
        return Plan(
            record: SnapshotRecord(
                request, settings: settings.count, settingPages: numbers[0], resourcePages: numbers[1]),
            objects: objects, bytes: bytes, added: objects.values.reduce(0) { $0 + Int64($1.count) },
            replaced: replaced)
    }

    private func checkRoom(
        for added: Int64, besides kept: Int64, _ name: String, _ database: Database
    ) throws(StoreError) {
        if kept + added > limits.snapshotBytes {
            throw StoreError(
                .limit, name,
                "The snapshot “\(name)” was not made, because it takes \(added) bytes more, snapshots hold \(kept) "
                    + "bytes already, and the limit is \(limits.snapshotBytes) bytes; delete one that is not needed "
                    + "('cleat snapshot delete').")
        }
        guard let free = directory.freeBytes else { return }
        let pages = try sqlite { () throws(SQLiteError) -> Int64? in try database.value("PRAGMA freelist_count") }
        // Space for the log and for the main file, less the free pages of the main file, which can all be used.
        let needed = added + max(0, added - (pages ?? 0) * Int64(StoreFormat.pageSize))
        guard free - needed < limits.freeBytes else { return }
        throw StoreError(
            .diskFull, name,
            "The snapshot “\(name)” was not made, because it takes \(needed) bytes, the file system of the store "
                + "“\(directory.path)” has \(free) free, and \(limits.freeBytes) of them are kept for settings; free space, "
                + "or delete a snapshot that is not needed ('cleat snapshot delete').")
    }
}

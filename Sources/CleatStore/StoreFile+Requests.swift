import CleatAPI
import CleatJSON
import CleatSettings

extension StoreFile {
    /// Finds the generation of an earlier request with the same id and the same changes.
    func former(_ request: CommitRequest) throws(StoreError) -> GenerationRecord? {
        guard let former = try record(id: request.id) else { return nil }
        guard former.hash == request.hash, former.state != GenerationRecord.restored else {
            throw StoreError(
                .idReused, request.id,
                "The id “\(request.id)” was used before, for the other changes of generation \(former.number); "
                    + "send these with an id of their own.",
                generation: GenerationRef(store: storeID, generation: former.number))
        }
        return former
    }

    /// Throws if a request was made for another generation than the confirmed one.
    func checkExpected(_ request: CommitRequest) throws(StoreError) {
        guard let expect = request.expect, expect != generation else { return }
        throw StoreError(
            .conflict, "\(expect.generation)",
            "The settings have changed: the store is at generation \(number)"
                + (expect.store == storeID ? "" : " of another store") + ", not at \(expect.generation); "
                + "read them again and decide again.",
            generation: generation)
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

    /// Returns the changes that differ from the stored settings, and those that rewrite a value on purpose, sorted by
    /// path.
    func effectiveRows(_ request: CommitRequest, _ database: Database) throws(StoreError) -> [ChangedRow] {
        var rows: [ChangedRow] = []
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
            guard old != new || change.isRewritten && old != nil else { continue }
            let row = ChangedRow(path: change.path, old: old, new: new)
            added += row.added
            rows.append(row)
        }
        if added > 0, settingsCount + added > limits.settings {
            throw StoreError(
                .limit, directory.path,
                "The change was not stored, because there would be \(settingsCount + added) settings; the limit is "
                    + "\(limits.settings) settings.")
        }
        return rows
    }
}

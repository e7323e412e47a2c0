import CleatHash
import CleatSettings

/// The content of a document.
package struct StoredContent: Sendable, Equatable {
    /// Its SHA-256, in 64 lower-case hexadecimal digits.
    package var hash: String
    /// The bytes, at most `ChangeSet.maximumDocumentBytes`.
    package var bytes: [UInt8]

    /// Creates a content from its bytes and their hash.
    package init(hash: String, bytes: [UInt8]) {
        self.hash = hash
        self.bytes = bytes
    }
}

/// The contents of documents, which settings and the history name by their hashes.
package struct ContentTable {
    let store: StoreDatabase

    /// The SQL condition for the paths of settings that name contents; their values are `"sha256:…"`.
    private static let namesContent = "path >= 'documents/' AND path < 'documents0'"
    private static let inForce = "SELECT substr(value, 9, 64) FROM settings WHERE \(namesContent)"

    /// Reads the present or former content of a document.
    ///
    /// - Parameter hash: the SHA-256 in lower-case hexadecimal digits.
    /// - Returns: the bytes; nil if they are not stored, or not any more.
    /// - Throws: `damaged` if they have another hash; or a storage error.
    package func content(_ hash: String) throws(StoreError) -> [UInt8]? {
        let database = try store.open()
        let found = try store.sqlite { () throws(SQLiteError) -> [UInt8]? in
            let row = try database.prepare("SELECT bytes FROM contents WHERE hash = ?", [.text(hash)])
            return try row.step() ? try row.column(0) : nil
        }
        guard let found else { return nil }
        guard SHA256.hexadecimal(of: found) == hash else {
            throw StoreError(
                .damaged, hash,
                "The content \(hash) of a document is damaged in the store: its bytes have another hash; send the file "
                    + "again ('cleat apply --file').")
        }
        return found
    }

    /// Throws if contents exceed the limits, or do not match their hashes.
    func check(_ contents: [StoredContent], of id: String) throws(StoreError) {
        func refuse(_ what: String, _ limit: String) -> StoreError {
            StoreError(.limit, id, "The change was not made, because \(what); the limit is \(limit).")
        }
        if contents.count > StoreLimits.mementos {
            throw refuse("it includes \(contents.count) documents", "\(StoreLimits.mementos) documents")
        }
        var bytes: Int64 = 0
        for content in contents {
            bytes += Int64(content.bytes.count)
            if Int64(content.bytes.count) > ChangeSet.maximumDocumentBytes {
                throw refuse(
                    "a document holds \(content.bytes.count) bytes", "\(ChangeSet.maximumDocumentBytes) bytes")
            }
            guard SHA256.hexadecimal(of: content.bytes) == content.hash else {
                throw StoreError(
                    .damaged, content.hash,
                    "The change was not made, because the bytes of a document do not match its hash.")
            }
        }
        if bytes > Int64(StoreLimits.trialBytes) {
            throw refuse("its documents hold \(bytes) bytes", "\(StoreLimits.trialBytes) bytes")
        }
    }

    /// Throws if contents exceed the limit together with those in force, which are never deleted to free space.
    func checkTotal(of contents: [StoredContent], _ database: Database) throws(StoreError) {
        guard !contents.isEmpty else { return }
        var held: Set<String> = []
        let kept = try store.sqlite { () throws(SQLiteError) -> Int64 in
            for content in contents {
                let count: Int64? = try database.value(
                    "SELECT count(*) FROM contents WHERE hash = ? AND hash IN (\(Self.inForce))",
                    [.text(content.hash)])
                if count == 1 { held.insert(content.hash) }
            }
            return try database.value(
                "SELECT coalesce(sum(size), 0) FROM contents WHERE hash IN (\(Self.inForce))") ?? 0
        }
        // Contents that are in force already take no more space.
        let new = contents.reduce(0) { held.contains($1.hash) ? $0 : $0 + Int64($1.bytes.count) }
        guard kept + new > store.limits.contentBytes else { return }
        throw StoreError(
            .limit, "documents",
            "The change was not made, because its documents hold \(new) bytes, those in force hold \(kept), and the limit "
                + "is \(store.limits.contentBytes) bytes; unset one that is not needed, or upload it with 'cleat file put'."
        )
    }

    /// Writes contents, and deletes the oldest ones that only the history names while the total exceeds the limit.
    func insert(_ contents: [StoredContent], _ next: Int64, _ database: Database) throws(SQLiteError) {
        guard !contents.isEmpty else { return }
        for content in contents {
            // A content that is stored already is overwritten, in case it is damaged.
            try database.run(
                """
                INSERT INTO contents(hash, size, bytes) VALUES(?, ?, ?) \
                ON CONFLICT(hash) DO UPDATE SET size = excluded.size, bytes = excluded.bytes
                """,
                [.text(content.hash), .integer(Int64(content.bytes.count)), .blob(content.bytes)])
        }
        var bytes: Int64 = try database.value("SELECT coalesce(sum(size), 0) FROM contents") ?? 0
        guard bytes > store.limits.contentBytes else { return }
        var oldest: [(hash: String, size: Int64)] = []
        let rows = try database.prepare(
            """
            SELECT hash, size FROM contents WHERE hash NOT IN (\(Self.inForce)) AND hash NOT IN \
            (SELECT substr(new, 9, 64) FROM changes WHERE generation = ? AND \(Self.namesContent) \
            AND new IS NOT NULL) ORDER BY position
            """, [.integer(next)])
        while try rows.step(), bytes > store.limits.contentBytes {
            let size: Int64 = try rows.column(1)
            oldest.append((try rows.column(0), size))
            bytes -= size
        }
        for content in oldest { try database.run("DELETE FROM contents WHERE hash = ?", [.text(content.hash)]) }
    }

    /// Returns true if generations up to `last`, which are about to be deleted, name contents.
    func areNamed(upTo last: Int64, _ database: Database) throws(SQLiteError) -> Bool {
        let rows = try database.prepare(
            "SELECT 1 FROM changes WHERE generation <= ? AND \(Self.namesContent) LIMIT 1", [.integer(last)])
        return try rows.step()
    }

    /// Deletes the contents that neither a setting nor the history names.
    func dropUnnamed(_ database: Database) throws(SQLiteError) {
        let names = ["old", "new"].map {
            " UNION SELECT substr(\($0), 9, 64) FROM changes WHERE \(Self.namesContent) AND \($0) IS NOT NULL"
        }.joined()
        try database.run(
            "DELETE FROM contents WHERE hash NOT IN (\(Self.inForce)\(names))", [])
    }
}

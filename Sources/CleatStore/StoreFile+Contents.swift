import CleatAPI
import CleatSandbox

extension StoreFormat {
    /// The version of a file that holds contents of documents: format 1.5.
    static let contentVersion = major * 1000 + 5
    /// The table of format 1.5, created with the first document: a store without documents keeps its former version.
    ///
    /// A content is named by the SHA-256 of its bytes in hexadecimal digits, and is stored once. Settings below
    /// `documents` name it, now or in the history. It is deleted when neither names it any more.
    static let contentTable = """
        CREATE TABLE IF NOT EXISTS contents(position INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, \
        size INTEGER NOT NULL, bytes BLOB NOT NULL)
        """
    /// The SQL condition for the paths of settings that name contents; their values are `"sha256:…"`.
    static let namesContent = "path >= 'documents/' AND path < 'documents0'"
    static let contentsInForce = "SELECT substr(value, 9, 64) FROM settings WHERE \(namesContent)"
}

extension StoreFile {
    /// Reads the present or former content of a document.
    ///
    /// - Parameter hash: the SHA-256 in lower-case hexadecimal digits.
    /// - Returns: the bytes; nil if they are not stored, or not any more.
    /// - Throws: `damaged` if they have another hash; or a storage error.
    package func content(_ hash: String) throws(StoreError) -> [UInt8]? {
        let database = try open()
        let found = try sqlite { () throws(SQLiteError) -> [UInt8]? in
            guard try hasContentTable(database) else { return nil }
            let row = try database.prepare("SELECT bytes FROM contents WHERE hash = ?", [.text(hash)])
            return try row.step() ? try row.column(0) : nil
        }
        guard let found else { return nil }
        guard SHA256.hexadecimal(of: found) == hash else {
            throw StoreError(
                .damaged, hash,
                "The content \(hash) of a document is damaged in the store: its bytes have another hash; send the file "
                    + "anew ('cleat apply --file').")
        }
        return found
    }

    /// Throws if contents exceed the limits, or do not match their hashes.
    func check(_ contents: [StoredContent], of id: String) throws(StoreError) {
        func refuse(_ what: String, _ limit: String) -> StoreError {
            StoreError(.limit, id, "The change was not made, because \(what); the limit is \(limit).")
        }
        if contents.count > StoreLimits.mementos {
            throw refuse("it brings \(contents.count) documents along", "\(StoreLimits.mementos) documents")
        }
        var bytes: Int64 = 0
        for content in contents {
            bytes += Int64(content.bytes.count)
            if Int64(content.bytes.count) > APILimits.documentBytes {
                throw refuse(
                    "a document holds \(content.bytes.count) bytes", "\(APILimits.documentBytes) bytes")
            }
            guard SHA256.hexadecimal(of: content.bytes) == content.hash else {
                throw StoreError(
                    .damaged, content.hash, "The change was not made, because a document is not what its hash says.")
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
        let kept = try sqlite { () throws(SQLiteError) -> Int64 in
            guard try hasContentTable(database) else { return 0 }
            for content in contents {
                let count: Int64? = try database.value(
                    "SELECT count(*) FROM contents WHERE hash = ? AND hash IN (\(StoreFormat.contentsInForce))",
                    [.text(content.hash)])
                if count == 1 { held.insert(content.hash) }
            }
            return try database.value(
                "SELECT coalesce(sum(size), 0) FROM contents WHERE hash IN (\(StoreFormat.contentsInForce))") ?? 0
        }
        // Contents that are in force already take no more space.
        let new = contents.reduce(0) { held.contains($1.hash) ? $0 : $0 + Int64($1.bytes.count) }
        guard kept + new > limits.contentBytes else { return }
        throw StoreError(
            .limit, "documents",
            "The change was not made, because its documents hold \(new) bytes, those in force hold \(kept), and the limit "
                + "is \(limits.contentBytes) bytes; unset one that is not needed, or put it with 'cleat file put'.")
    }

    /// Writes contents, and deletes the oldest ones that only the history names while the total exceeds the limit.
    func insert(_ contents: [StoredContent], _ next: Int64, _ database: Database) throws(SQLiteError) {
        guard !contents.isEmpty else { return }
        try database.execute(StoreFormat.contentTable)
        let version: Int64 = try database.value("PRAGMA user_version") ?? 0
        if version < StoreFormat.contentVersion {
            try database.execute("PRAGMA user_version=\(StoreFormat.contentVersion)")
        }
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
        guard bytes > limits.contentBytes else { return }
        var oldest: [(hash: String, size: Int64)] = []
        let rows = try database.prepare(
            """
            SELECT hash, size FROM contents WHERE hash NOT IN (\(StoreFormat.contentsInForce)) AND hash NOT IN \
            (SELECT substr(new, 9, 64) FROM changes WHERE generation = ? AND \(StoreFormat.namesContent) \
            AND new IS NOT NULL) ORDER BY position
            """, [.integer(next)])
        while try rows.step(), bytes > limits.contentBytes {
            let size: Int64 = try rows.column(1)
            oldest.append((try rows.column(0), size))
            bytes -= size
        }
        for content in oldest { try database.run("DELETE FROM contents WHERE hash = ?", [.text(content.hash)]) }
    }

    /// Returns true if generations up to `last`, which are about to be deleted, name contents.
    func namesContents(upTo last: Int64, _ database: Database) throws(SQLiteError) -> Bool {
        guard try hasContentTable(database) else { return false }
        let rows = try database.prepare(
            "SELECT 1 FROM changes WHERE generation <= ? AND \(StoreFormat.namesContent) LIMIT 1", [.integer(last)])
        return try rows.step()
    }

    /// Deletes the contents that neither a setting nor the history names.
    func dropUnnamedContents(_ database: Database) throws(SQLiteError) {
        let names = ["old", "new"].map {
            " UNION SELECT substr(\($0), 9, 64) FROM changes WHERE \(StoreFormat.namesContent) AND \($0) IS NOT NULL"
        }.joined()
        try database.run(
            "DELETE FROM contents WHERE hash NOT IN (\(StoreFormat.contentsInForce)\(names))", [])
    }

    private func hasContentTable(_ database: Database) throws(SQLiteError) -> Bool {
        if let hasContents { return hasContents }
        let count: Int64? = try database.value(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'contents'")
        hasContents = count == 1
        return count == 1
    }
}

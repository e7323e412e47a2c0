/// The hashes of the pages of a snapshot, so that the next one computes only those of pages that differ.
///
/// A page is recognised by a quick hash of its bytes; the store's own bytes then show whether it is the same one. The
/// bytes are not kept, since they may hold secrets.
struct PageHashes {
    private var hashes: [Int: ObjectHash] = [:]

    /// Returns the hash of a page, and true if the store has the page.
    func find(_ page: [UInt8], in tables: SnapshotTables) throws(SQLiteError) -> (hash: ObjectHash, isThere: Bool) {
        if let known = hashes[Self.quickHash(of: page)], try tables.object(known) == page { return (known, true) }
        let hash = ObjectHash(of: page)
        return (hash, try tables.object(hash) == page)
    }

    /// Keeps the hash of a page.
    mutating func add(_ page: [UInt8], _ hash: ObjectHash) { hashes[Self.quickHash(of: page)] = hash }

    private static func quickHash(of page: [UInt8]) -> Int {
        var hasher = Hasher()
        unsafe page.withUnsafeBytes { unsafe hasher.combine(bytes: $0) }
        return hasher.finalize()
    }
}

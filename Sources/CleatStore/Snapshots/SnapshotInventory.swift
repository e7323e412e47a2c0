/// The objects that the snapshots hold, with the number of uses of each one.
struct SnapshotInventory {
    /// A page of a snapshot, as it was read.
    private enum Page {
        case whole(size: Int64, children: [(hash: ObjectHash, size: Int64)])
        case damaged(String)
    }

    private let records: [SnapshotRecord]
    private var pages: [ObjectHash: Page] = [:]
    /// The number of times that the snapshots hold an object.
    private var uses: [ObjectHash: Int] = [:]

    /// Reads the pages of all snapshots, each page once.
    init(of records: [SnapshotRecord], in tables: SnapshotTables) throws(SQLiteError) {
        self.records = records
        for record in records {
            for hash in record.settingPages where pages[hash] == nil {
                pages[hash] = Self.page(try tables.object(hash), hash) {
                    SnapshotPage.settings($0).map { _ in [] }
                }
            }
            for hash in record.resourcePages where pages[hash] == nil {
                pages[hash] = Self.page(try tables.object(hash), hash) { bytes in
                    SnapshotPage.resources(bytes)?.compactMap { item in item.hash.map { ($0, item.size) } }
                }
            }
            for hash in record.pages {
                uses[hash, default: 0] += 1
                guard case .whole(_, let children)? = pages[hash] else { continue }
                for child in children { uses[child.hash, default: 0] += 1 }
            }
        }
    }

    private static func page(
        _ bytes: [UInt8]?, _ hash: ObjectHash, _ children: ([UInt8]) -> [(ObjectHash, Int64)]?
    ) -> Page {
        guard let bytes else { return .damaged("the object \(hash) is missing") }
        guard ObjectHash(of: bytes) == hash, let children = children(bytes) else {
            return .damaged("the object \(hash) is damaged: its bytes have another hash")
        }
        return .whole(size: Int64(bytes.count), children: children.map { (hash: $0.0, size: $0.1) })
    }

    /// Returns true if a snapshot holds an object.
    func holds(_ hash: ObjectHash) -> Bool { uses[hash] != nil }

    /// True if the objects of all snapshots are known: no record and no page is damaged.
    var isComplete: Bool { records.allSatisfy { damage(of: $0) == nil } }

    /// Describes the damage of a snapshot's record or pages; nil if there is none.
    func damage(of record: SnapshotRecord) -> String? {
        guard record.isWhole else { return "its record is damaged: the fields have another hash" }
        for hash in record.pages {
            if case .damaged(let what)? = pages[hash] { return what }
        }
        return nil
    }

    /// Describes a snapshot.
    func description(of record: SnapshotRecord) -> StoredSnapshot {
        var all: Int64 = 0
        var own: Int64 = 0
        func add(_ hash: ObjectHash, _ size: Int64) {
            all += size
            if uses[hash] == 1 { own += size }
        }
        for hash in record.pages {
            guard case .whole(let size, let children)? = pages[hash] else { continue }
            add(hash, size)
            for child in children { add(child.hash, child.size) }
        }
        return StoredSnapshot(record, bytes: all, ownBytes: own, damage: damage(of: record))
    }
}

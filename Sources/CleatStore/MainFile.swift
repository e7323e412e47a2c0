/// Says what the store's main file looks like before SQLite has touched it.
///
/// SQLite would take an empty file for a new database, and delete the write-ahead log beside it with the acknowledged
/// commits in it; a foreign file it would write to. So the header is read first.
enum MainFile: Equatable {
    /// There is none.
    case missing
    /// It is empty, or not the store's.
    case foreign(reason: String)
    /// Its header is that of a store with this version of the format.
    case store(version: Int64)

    /// Judges the first hundred bytes of a file of a size.
    init(head: [UInt8], size: Int64) {
        guard size > 0 else {
            self = .foreign(reason: "it is empty")
            return
        }
        guard head.count >= 100, head.starts(with: Array("SQLite format 3\0".utf8)) else {
            self = .foreign(reason: "it is not an SQLite database")
            return
        }
        guard Self.number(head, at: 68) == StoreFormat.applicationID else {
            self = .foreign(reason: "it is a database of another program")
            return
        }
        self = .store(version: Self.number(head, at: 60))
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> Int64 {
        Int64(Int32(truncatingIfNeeded: bytes[offset..<offset + 4].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }))
    }
}

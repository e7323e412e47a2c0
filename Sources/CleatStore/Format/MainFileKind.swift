/// The kind of the store's main file, before SQLite has opened it.
///
/// SQLite would take an empty file for a new database, and delete the write-ahead log next to it with the acknowledged
/// commits in it. It would write to a foreign file. So the header is read first.
enum MainFileKind: Equatable {
    /// There is no main file.
    case missing
    /// The file is empty, or not the store's.
    case foreign(reason: String)
    /// The file has the header of a store, with this version of the format.
    case store(version: Int64)

    /// Determines the kind from the first hundred bytes of a file and its size.
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

/// Describes one operation on a file of the store that is about to happen.
package struct StorageOperation {
    /// What is done to a file.
    package enum Kind: Int32, Sendable, Hashable, CaseIterable {
        case open, read, write, sync, truncate, delete
    }

    /// What is done.
    package let kind: Kind
    /// The file's path; empty for a file without a name.
    package let name: String
    /// The bytes of a write; empty otherwise.
    package let bytes: [UInt8]
    /// The number of bytes read or written.
    package let count: Int
    /// Where in the file it happens; for a truncation, the new size.
    package let offset: Int64
}

/// Says what becomes of an operation.
package enum StorageVerdict: Sendable, Hashable {
    /// It is done.
    case proceed
    /// It fails with a code and leaves no trace.
    case fail(SQLiteCode)
    /// The first bytes of the write are written, then it fails with a code.
    case partial(Int, SQLiteCode)
}

/// Is asked before each operation on the store's files: the seam through which tests make storage fail.
package typealias StorageHook = (StorageOperation) -> StorageVerdict

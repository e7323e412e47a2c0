/// An operation on a file of the store that is about to happen.
package struct StorageOperation {
    /// The kind of an operation.
    package enum Kind: Int32, Sendable, Hashable, CaseIterable {
        case open, read, write, sync, truncate, delete
    }

    /// The kind of the operation.
    package let kind: Kind
    /// The file's path; empty for a file without a name.
    package let name: String
    /// The bytes of a write; empty otherwise.
    package let bytes: [UInt8]
    /// The number of bytes read or written.
    package let count: Int
    /// The offset in the file in bytes; for a truncation, the new size.
    package let offset: Int64
}

/// The hook's verdict on an operation.
package enum StorageVerdict: Sendable, Equatable {
    /// The operation is done.
    case proceed
    /// The operation fails with a code and changes nothing.
    case fail(SQLiteCode)
    /// The first bytes of the write are written, then it fails with a code.
    case partial(Int, SQLiteCode)
}

/// A function that is called before each operation on the store's files, with which tests make storage fail.
package typealias StorageHook = (StorageOperation) -> StorageVerdict

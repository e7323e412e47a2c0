internal import CleatHash
internal import SystemPackage

/// Records an append to a file as the name of an empty file in the same directory, so that an append that a power cut
/// interrupted can be found and reverted.
///
/// A name needs one flush, that of its directory; content would need two. The file is identified by its inode number
/// and by the bytes before the offset of the append: another file that has reused the number is not changed.
struct AppendRecord: Sendable, Equatable {
    /// The prefix of every record's name; names with this prefix are reserved.
    static let prefix = ".cleat-append-"
    /// The number of bytes before the offset of the append that are included in the digest.
    static let contextLimit: Int64 = 4096

    /// The file's inode number.
    var inode: UInt64
    /// The file's size in bytes before the append.
    var size: Int64
    /// The number of bytes that are appended.
    var count: Int64
    /// The first eight bytes of the digest of the file's name and of the bytes before the append.
    var context: UInt64
    /// The first eight bytes of the digest of the appended bytes.
    var added: UInt64

    /// The record's own name.
    var name: String {
        let numbers = [inode, UInt64(size), UInt64(count), context, added]
        return Self.prefix + numbers.map { String($0, radix: 16) }.joined(separator: "-")
    }

    /// The file's size in bytes after the append.
    var end: Int64 { size + count }

    /// Makes a record from its fields.
    init(inode: UInt64, size: Int64, count: Int64, context: UInt64, added: UInt64) {
        self.inode = inode
        self.size = size
        self.count = count
        self.context = context
        self.added = added
    }

    /// Parses a name; returns nil if it is not that of a record.
    init?(_ name: FileName) {
        guard let text = name.text, text.utf8.starts(with: Self.prefix.utf8) else { return nil }
        let numbers = text.utf8.dropFirst(Self.prefix.utf8.count).split(
            separator: UInt8(ascii: "-"), omittingEmptySubsequences: false
        ).map { UInt64(String($0) ?? "", radix: 16) }
        guard numbers.count == 5, let inode = numbers[0], let size = numbers[1].flatMap(Int64.init(exactly:)),
            let count = numbers[2].flatMap(Int64.init(exactly:)), let context = numbers[3], let added = numbers[4],
            !size.addingReportingOverflow(count).overflow
        else { return nil }
        self.init(inode: inode, size: size, count: count, context: context, added: added)
    }

    /// Returns the first eight bytes of a digest as a big-endian number.
    static func number(of digest: consuming SHA256) -> UInt64 {
        digest.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension FileName {
    /// True if it is the name of a record of an append.
    var isAppendRecord: Bool { terminated.starts(with: AppendRecord.prefix.utf8) }

    /// True if it is not counted as a file in the account: it exists only for the duration of a call.
    var isPassing: Bool { isTemporary || isAppendRecord }
}

internal import SystemPackage

/// Says in the name of an empty file what is being added to a file of the same directory, so that what a power cut has
/// left of it can be told and taken back.
///
/// A name needs one flush, that of its directory, where a content would need two. The file is told by its number, and by
/// what stood before the place at which is added: another file that has the number by then is left as it is.
struct AppendRecord: Sendable, Equatable {
    /// Begins the name of every record; names that begin so are reserved.
    static let prefix = ".cleat-append-"
    /// How many bytes before the place of adding are looked at.
    static let contextLimit: Int64 = 4096

    /// The number of the file on its file system.
    var inode: UInt64
    /// How many bytes the file had.
    var size: Int64
    /// How many bytes are added.
    var count: Int64
    /// The beginning of the digest of the file's name, and of what stood before.
    var context: UInt64
    /// The beginning of the digest of what is added.
    var added: UInt64

    /// The record's own name.
    var name: String {
        let numbers = [inode, UInt64(size), UInt64(count), context, added]
        return Self.prefix + numbers.map { String($0, radix: 16) }.joined(separator: "-")
    }

    /// How many bytes the file has when all is added.
    var end: Int64 { size + count }

    /// Takes what is known.
    init(inode: UInt64, size: Int64, count: Int64, context: UInt64, added: UInt64) {
        self.inode = inode
        self.size = size
        self.count = count
        self.context = context
        self.added = added
    }

    /// Reads a name; nil where it is not that of a record.
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

    /// The first eight bytes of a digest.
    static func number(of digest: consuming SHA256) -> UInt64 {
        digest.finalize().prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
    }
}

extension FileName {
    /// Whether it is that of a record of what is being added to a file.
    var isAppendRecord: Bool { terminated.starts(with: AppendRecord.prefix.utf8) }

    /// Whether it stands for no file of its own in the account: it is there for as long as a call takes.
    var isPassing: Bool { isTemporary || isAppendRecord }
}

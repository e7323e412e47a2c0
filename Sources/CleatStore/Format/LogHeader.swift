/// The header of SQLite's write-ahead log, as in https://sqlite.org/fileformat2.html#walformat.
///
/// SQLite takes a log without a valid header for an empty one. A log keeps its header for ever, since its file is kept;
/// only a store that was never written has none.
enum LogHeader {
    /// The size of a header in bytes.
    static let size = 32

    /// Returns true if the first bytes of a file are a header whose checksum matches.
    static func isValid(_ head: [UInt8]) -> Bool {
        guard head.count == size else { return false }
        func word(_ offset: Int, littleEndian: Bool) -> UInt32 {
            let bytes = head[offset..<offset + 4]
            return littleEndian
                ? bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) } : bytes.reduce(0) { $0 << 8 | UInt32($1) }
        }
        let magic = word(0, littleEndian: false)
        guard magic & ~1 == 0x377F_0682 else { return false }
        var sums: (UInt32, UInt32) = (0, 0)
        for offset in stride(from: 0, to: 24, by: 8) {
            sums.0 &+= word(offset, littleEndian: magic & 1 == 0) &+ sums.1
            sums.1 &+= word(offset + 4, littleEndian: magic & 1 == 0) &+ sums.0
        }
        return sums == (word(24, littleEndian: false), word(28, littleEndian: false))
    }
}

extension StoreDirectory {
    /// True if there is a write-ahead log with a valid header.
    var hasLog: Bool {
        get throws(StoreError) {
            let head = try head(of: StoreFormat.logName, count: LogHeader.size, writing: false)?.bytes
            return head.map(LogHeader.isValid) ?? false
        }
    }
}

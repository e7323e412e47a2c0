/// The lines of an exported snapshot, one after the other: a file of nothing but line feeds needs no more memory than
/// its bytes.
struct SnapshotLines {
    /// The contents of the file.
    let bytes: [UInt8]
    /// The index of the next line.
    private(set) var index = 0
    /// The offset in `bytes` of the next line.
    private(set) var position = 0

    /// Starts with the first line.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// True if the file ends with a line feed.
    var isEnded: Bool { bytes.last == UInt8(ascii: "\n") }

    /// The number of line feeds in the whole file.
    var ends: Int { bytes.reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 } }

    /// Returns the next line, without its line feed; a non-empty rest after the last line feed is a line, too.
    mutating func next() -> ArraySlice<UInt8>? {
        guard position < bytes.endIndex else { return nil }
        let line = bytes[position...].prefix { $0 != UInt8(ascii: "\n") }
        index += 1
        position = min(line.endIndex + 1, bytes.endIndex)
        return line
    }
}

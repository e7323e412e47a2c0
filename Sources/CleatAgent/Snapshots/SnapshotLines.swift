/// The lines of an exported snapshot, one after the other: what a file of nothing but line feeds costs is its bytes.
struct SnapshotLines {
    /// The file.
    let bytes: [UInt8]
    /// The index of the line that comes next.
    private(set) var index = 0
    /// Where in `bytes` the line that comes next begins.
    private(set) var position = 0

    /// Begins with the first line.
    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether the file ends with a line feed.
    var isEnded: Bool { bytes.last == UInt8(ascii: "\n") }

    /// Counts the line feeds of the whole file.
    var ends: Int { bytes.reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 } }

    /// Takes the next line, without its line feed; what stands after the last one is a line too where it is not empty.
    mutating func next() -> ArraySlice<UInt8>? {
        guard position < bytes.endIndex else { return nil }
        let line = bytes[position...].prefix { $0 != UInt8(ascii: "\n") }
        index += 1
        position = min(line.endIndex + 1, bytes.endIndex)
        return line
    }
}

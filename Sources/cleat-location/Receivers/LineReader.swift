import CleatIO

/// Cuts a stream of bytes into lines; a line beyond the limit is dropped, up to its end.
struct LineReader {
    private let limit: Int
    private var partial: [UInt8] = []
    private var isDropping = false

    init(limit: Int) { self.limit = limit }

    /// Takes bytes, and returns the lines that they complete, without their ends.
    mutating func take(_ bytes: [UInt8]) -> [[UInt8]] {
        var lines: [[UInt8]] = []
        for byte in bytes {
            if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") {
                if !isDropping, !partial.isEmpty { lines.append(partial) }
                partial.removeAll(keepingCapacity: true)
                isDropping = false
            } else if partial.count == limit {
                isDropping = true
            } else if !isDropping {
                partial.append(byte)
            }
        }
        return lines
    }
}

/// Counts lines and columns while a text is read.
struct JSONLineCounter {
    private var offset = 0
    private(set) var position = JSONPosition(line: 1, column: 1)

    /// Advances to an offset that is not before the last one.
    mutating func advance(to target: Int, in bytes: UnsafeRawBufferPointer) {
        let target = min(target, bytes.count)
        while offset < target {
            let byte = unsafe bytes[offset]
            let endsLine =
                byte == 0x0a
                || byte == 0x0d && !(unsafe offset + 1 < bytes.count && bytes[offset + 1] == 0x0a)
            if endsLine {
                position.line += 1
                position.column = 1
            } else if byte & 0xc0 != 0x80 {
                position.column += 1
            }
            offset += 1
        }
    }
}

import SystemPackage

/// Reads the lines of a stream with bounded memory.
struct LineReader {
    /// One line, without its line feed.
    enum Line {
        /// The whole line.
        case whole(ArraySlice<UInt8>)
        /// A line that is longer than the bound; its bytes were discarded.
        case tooLong
    }

    private let descriptor: CInt
    private let limit: Int
    private var buffer: [UInt8] = []
    /// The index in the buffer at which the next line starts.
    private var start = 0
    /// The index in the buffer before which no line feed was found.
    private var searched = 0
    private var isSkipping = false
    private var isEnded = false
    private var chunk = [UInt8](repeating: 0, count: 64 << 10)

    /// Creates a reader for a stream, with the maximum length of a line in bytes.
    init(_ descriptor: FileDescriptor, limit: Int) {
        self.descriptor = descriptor.rawValue
        self.limit = limit
    }

    /// Reads the next line.
    ///
    /// - Parameter beforeWaiting: the closure that runs before the reader waits for the stream.
    /// - Returns: the line, a last one without a line feed included; nil at the end of the stream.
    /// - Throws: the reason why the stream cannot be read.
    mutating func next(beforeWaiting: () throws(CommandError) -> Void) throws(CommandError) -> Line? {
        while true {
            if let end = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer {
                    start = end + 1
                    searched = start
                    isSkipping = false
                }
                if isSkipping || end - start > limit { return .tooLong }
                return .whole(buffer[start..<end])
            }
            searched = buffer.count
            if isEnded {
                defer {
                    start = buffer.count
                    isSkipping = false
                }
                if isSkipping || searched - start > limit { return .tooLong }
                return start < searched ? .whole(buffer[start...]) : nil
            }
            discard()
            if Process.waits(descriptor, milliseconds: 0) { try beforeWaiting() }
            try fill()
        }
    }

    /// Discards the returned lines, and the bytes of a line that is too long.
    private mutating func discard() {
        if searched - start > limit { isSkipping = true }
        if isSkipping { start = searched }
        if start == buffer.count {
            // The memory of a very long line is released.
            buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 20)
        } else {
            buffer.removeFirst(start)
        }
        searched -= start
        start = 0
    }

    private mutating func fill() throws(CommandError) {
        let count: Int
        do {
            count = try unsafe chunk.withUnsafeMutableBytes { unsafe try Process.read(descriptor, into: $0) }
        } catch {
            throw .local("standard input cannot be read: \(error)")
        }
        if count == 0 { isEnded = true }
        buffer += chunk[..<count]
    }
}

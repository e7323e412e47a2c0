import SystemPackage

/// Reads the lines of a stream, of which none takes more memory than a bound.
struct LineReader {
    /// One line, without what ends it.
    enum Line {
        /// The whole line.
        case whole(ArraySlice<UInt8>)
        /// A line that is longer than the bound; its bytes are gone.
        case tooLong
    }

    private let descriptor: CInt
    private let limit: Int
    private var buffer: [UInt8] = []
    /// Where the next line begins.
    private var start = 0
    /// The bytes from the start in which no end of a line stands.
    private var searched = 0
    private var isSkipping = false
    private var isEnded = false
    private var chunk = [UInt8](repeating: 0, count: 64 << 10)

    /// Makes a reader of a stream whose lines have at most so many bytes.
    init(_ descriptor: FileDescriptor, limit: Int) {
        self.descriptor = descriptor.rawValue
        self.limit = limit
    }

    /// Reads the next line.
    ///
    /// - Parameter beforeWaiting: is run before the stream is waited for.
    /// - Returns: nil at the end; what stands behind the last line's end counts where it is not empty.
    /// - Throws: why the stream cannot be read.
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

    /// Forgets what was handed out, and what belongs to a line that is too long.
    private mutating func discard() {
        if searched - start > limit { isSkipping = true }
        if isSkipping { start = searched }
        if start == buffer.count {
            // The room of a very long line is given back.
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

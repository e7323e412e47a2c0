/// Splits a stream of bytes into messages, each ended by a NUL.
///
/// It holds at most one incomplete message, whose length is bounded: ``next()`` throws once more bytes than the limit
/// have arrived without a NUL.
package struct MessageFramer: Sendable {
    /// The reason why a stream of bytes is not a stream of messages.
    package enum Failure: Error, Equatable, CustomStringConvertible {
        /// More bytes than the limit arrived without a NUL.
        case tooLong(limit: Int)
        /// A client that may make no call sends a long message.
        case stranger
        /// Two NULs followed each other.
        case empty

        /// The error as a clause.
        package var description: String {
            switch self {
            case .tooLong(let limit): "a message is longer than the limit of \(limit) bytes"
            case .stranger: "it sends a long message before it has proved who it is"
            case .empty: "a message is empty"
            }
        }
    }

    private let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0
    /// The offset up to which no NUL was found.
    private var scanned = 0

    /// Creates a framer.
    ///
    /// - Parameter limit: The maximum length of a message in bytes, without its NUL.
    package init(limit: Int) { self.limit = limit }

    /// The number of bytes that arrived and that ``next()`` has not returned.
    package var pending: Int { buffer.count - start }

    /// Appends received bytes.
    package mutating func append(_ bytes: [UInt8]) {
        if start == buffer.count {
            // The usual case: whole messages arrive at once, and nothing is copied.
            buffer = bytes
        } else if start > 0 {
            buffer = Array(buffer[start...]) + bytes
            scanned -= start
            start = 0
            return
        } else {
            buffer.append(contentsOf: bytes)
            return
        }
        start = 0
        scanned = 0
    }

    /// Reserves memory for the longest message at once, if a large one is being received.
    package mutating func expectLarge() { buffer.reserveCapacity(limit + 1) }

    /// Returns the next message without its NUL, or nil until more bytes have arrived.
    ///
    /// The slice shares the buffer: the caller must release it before the next ``append(_:)``, or the buffer is copied.
    package mutating func next() throws(Failure) -> ArraySlice<UInt8>? {
        guard start < buffer.count else {
            if !buffer.isEmpty { reset() }
            return nil
        }
        let end = Self.firstNul(buffer, from: scanned)
        // A message that is too long is refused even if its end has arrived, so that the result does not depend on the
        // reads.
        guard (end ?? buffer.count) - start <= limit else { throw .tooLong(limit: limit) }
        guard let end else {
            scanned = buffer.count
            return nil
        }
        guard end > start else { throw .empty }
        defer {
            start = end + 1
            scanned = start
        }
        return buffer[start..<end]
    }

    /// Frees the bytes that ``next()`` has returned.
    package mutating func compact() {
        guard start > 0 else { return }
        buffer = Array(buffer[start...])
        scanned -= start
        start = 0
    }

    private mutating func reset() {
        buffer = []
        start = 0
        scanned = 0
    }

    private static func firstNul(_ bytes: [UInt8], from offset: Int) -> Int? {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            var index = offset
            // Eight bytes at a time: one of them is 0 if subtracting 1 from each borrows from a top bit that was not
            // set.
            let ones: UInt64 = 0x0101_0101_0101_0101
            let raw = UnsafeRawBufferPointer(bytes)
            while bytes.count - index >= 8 {
                let word = unsafe raw.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                if (word &- ones) & ~word & (ones << 7) != 0 { break }
                index += 8
            }
            while index < bytes.count {
                if unsafe bytes[index] == 0 { return index }
                index += 1
            }
            return nil
        }
    }
}

/// Cuts a stream of bytes into messages, each ended by a NUL.
///
/// It holds at most one incomplete message, and that is bounded: ``next()`` throws once more bytes than the limit have
/// come without a NUL.
package struct MessageFramer: Sendable {
    /// Why a stream of bytes is no stream of messages.
    package enum Failure: Error, Hashable, CustomStringConvertible {
        /// More bytes than the limit came without a NUL.
        case tooLong(limit: Int)
        /// Two NULs followed each other.
        case empty

        /// One sentence.
        package var description: String {
            switch self {
            case .tooLong(let limit): "a message is longer than the limit of \(limit) bytes"
            case .empty: "a message is empty"
            }
        }
    }

    private let limit: Int
    private var buffer: [UInt8] = []
    private var start = 0
    /// Up to here no NUL was found.
    private var scanned = 0

    /// Makes a framer.
    ///
    /// - Parameter limit: The longest message in bytes, without its NUL.
    package init(limit: Int) { self.limit = limit }

    /// How many bytes came that ``next()`` has not returned.
    package var pending: Int { buffer.count - start }

    /// Takes bytes that have come.
    package mutating func append(_ bytes: [UInt8]) {
        if start == buffer.count {
            // The usual case: whole messages come at once, and nothing is copied.
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

    /// Makes room for the longest message at once, where one is on its way that is large.
    package mutating func expectLarge() { buffer.reserveCapacity(limit + 1) }

    /// Returns the next message without its NUL, or nil until more bytes have come.
    ///
    /// The slice shares the buffer: let go of it before the next ``append(_:)``.
    package mutating func next() throws(Failure) -> ArraySlice<UInt8>? {
        guard start < buffer.count else {
            if !buffer.isEmpty { reset() }
            return nil
        }
        let end = Self.firstNul(buffer, from: scanned)
        // What is too long is refused whether its end has come or not, so that it does not matter how it was cut.
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

    /// Lets go of what ``next()`` has returned.
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
            // Eight bytes at a time: one of them is 0 where taking 1 from each borrows from a top bit that was not set.
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

/// Computes SHA-256 digests (FIPS 180-4), incrementally.
package struct SHA256: Sendable {
    /// The size of a digest in bytes.
    package static let digestBytes = 32

    private var state = SHA256State()
    /// The bytes of the incomplete block.
    private var tail = InlineArray<64, UInt8>(repeating: 0)
    private var length: UInt64 = 0

    /// Starts a digest.
    package init() {}

    /// Returns the digest of `bytes` as 64 lower-case hexadecimal digits.
    package static func hexadecimal(of bytes: some Sequence<UInt8>) -> String {
        var digest = SHA256()
        digest.update(bytes)
        return hexadecimal(digest.finalize())
    }

    /// Returns a digest as lower-case hexadecimal digits.
    package static func hexadecimal(_ digest: [UInt8]) -> String { Hexadecimal.text(of: digest) }

    /// Parses the 64 hexadecimal digits of a digest; returns nil if they are not valid.
    package static func digest(hexadecimal text: String) -> [UInt8]? {
        Hexadecimal.bytes(of: text).flatMap { $0.count == digestBytes ? $0 : nil }
    }

    /// The number of bytes hashed so far.
    package var count: UInt64 { length }

    /// Adds bytes to the digest.
    package mutating func update(_ bytes: some Sequence<UInt8>) {
        let taken: Void? = bytes.withContiguousStorageIfAvailable { buffer in
            unsafe update(UnsafeRawBufferPointer(buffer))
        }
        guard taken == nil else { return }
        unsafe Array(bytes).withUnsafeBytes { unsafe update($0) }
    }

    /// Adds bytes to the digest.
    package mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        let filled = Int(length % 64)
        length &+= UInt64(bytes.count)
        var done = 0
        if filled > 0 {
            done = min(64 - filled, bytes.count)
            for index in 0..<done { tail[filled + index] = unsafe bytes[index] }
            guard filled + done == 64 else { return }
            compressTail()
        }
        let blocks = (bytes.count - done) / 64
        unsafe state.compress(start + done, blocks: blocks)
        done += blocks * 64
        for index in done..<bytes.count { tail[index - done] = unsafe bytes[index] }
    }

    /// Finishes the digest and returns its 32 bytes.
    package consuming func finalize() -> [UInt8] {
        let bits = length &* 8
        var filled = Int(length % 64)
        tail[filled] = 0x80
        filled += 1
        if filled > 56 {
            for index in filled..<64 { tail[index] = 0 }
            compressTail()
            filled = 0
        }
        for index in filled..<56 { tail[index] = 0 }
        for index in 0..<8 { tail[56 + index] = UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * index)) }
        compressTail()
        return state.bytes
    }

    private mutating func compressTail() {
        let span = tail.span
        unsafe span.withUnsafeBytes { bytes in
            if let start = bytes.baseAddress { unsafe state.compress(start, blocks: 1) }
        }
    }
}

internal import CleatHash

/// The name of an object: the SHA-256 of its bytes.
package struct ObjectHash: Hashable, Sendable, CustomStringConvertible {
    private let first: UInt64
    private let second: UInt64
    private let third: UInt64
    private let fourth: UInt64

    /// Computes the hash of an object's bytes.
    package init(of bytes: [UInt8]) {
        var digest = SHA256()
        digest.update(bytes)
        self.init(digest.finalize()[...])
    }

    /// Creates a hash from the 32 bytes of a digest; nil for any other number of bytes.
    package init?(digest: ArraySlice<UInt8>) {
        guard digest.count == SHA256.digestBytes else { return nil }
        self.init(digest)
    }

    private init(_ digest: ArraySlice<UInt8>) {
        func word(_ index: Int) -> UInt64 {
            var value: UInt64 = 0
            for place in digest.startIndex + index * 8..<digest.startIndex + index * 8 + 8 {
                value = value << 8 | UInt64(digest[place])
            }
            return value
        }
        first = word(0)
        second = word(1)
        third = word(2)
        fourth = word(3)
    }

    /// The 32 bytes of the digest.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(SHA256.digestBytes)
        append(to: &bytes)
        return bytes
    }

    /// Appends the 32 bytes of the digest.
    func append(to bytes: inout [UInt8]) {
        for word in [first, second, third, fourth] {
            unsafe withUnsafeBytes(of: word.bigEndian) { unsafe bytes.append(contentsOf: $0) }
        }
    }

    /// The digest as 64 lower-case hexadecimal digits.
    package var description: String { SHA256.hexadecimal(bytes) }

    /// Splits concatenated digests; nil if the number of bytes is not a multiple of 32.
    static func list(_ bytes: [UInt8]) -> [ObjectHash]? {
        guard bytes.count.isMultiple(of: SHA256.digestBytes) else { return nil }
        return stride(from: 0, to: bytes.count, by: SHA256.digestBytes).map {
            ObjectHash(bytes[$0..<$0 + SHA256.digestBytes])
        }
    }
}

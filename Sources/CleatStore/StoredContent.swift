/// The content of a document.
package struct StoredContent: Sendable, Hashable {
    /// Its SHA-256, in 64 lower-case hexadecimal digits.
    package var hash: String
    /// The bytes, at most `APILimits.documentBytes`.
    package var bytes: [UInt8]

    /// Creates a content from its bytes and their hash.
    package init(hash: String, bytes: [UInt8]) {
        self.hash = hash
        self.bytes = bytes
    }
}

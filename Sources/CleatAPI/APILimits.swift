import CleatSettings

/// The limits of one call.
package enum APILimits {
    /// The largest number of changes in one call.
    package static let changes = 4096
    /// The longest transaction id, in bytes.
    package static let idBytes = 64
    /// The longest comment, in bytes.
    package static let commentBytes = 1024
    /// The largest number of prefixes in one `Watch`.
    package static let prefixes = 64
    /// The largest number of generations in one reply of `Log`.
    package static let generations = 200
    /// The largest piece of a file in one call, in bytes before base64.
    package static let piece = 512 << 10
    /// The largest number of entries in one reply of `List`.
    package static let entries = 256

    /// The range of the confirm window in milliseconds: one second to one day.
    package static let window: ClosedRange<Int64> = 1_000...86_400_000

    /// The confirm window in milliseconds of a change with probes, if the client sets none.
    package static let probeWindow: Int64 = 120_000
    /// The largest number of documents in one change.
    package static let documents = 64
    /// The largest size of one document, in bytes.
    package static let documentBytes = ChangeSet.maximumDocumentBytes
    /// The largest total size of the documents of one change, in bytes.
    package static let documentsBytes: Int64 = 4_000_000
    /// The largest number of probes of one change.
    package static let probes = 16

    /// Reads the permissions of a file of an area: three or four octal digits, without set-id and sticky bits.
    ///
    /// - Returns: The permission bits; nil if the text is not valid.
    package static func permissions(_ text: String) -> UInt16? {
        guard (3...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
            let bits = UInt16(text, radix: 8), bits <= 0o777
        else { return nil }
        return bits
    }

    /// Returns true if a text is a valid transaction id: 1 to 64 bytes of `A-Z a-z 0-9 . _ : -`.
    package static func isValidID(_ id: String) -> Bool {
        !id.isEmpty && id.utf8.count <= idBytes
            && id.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"),
                    UInt8(ascii: "-"):
                    true
                default: false
                }
            }
    }
}

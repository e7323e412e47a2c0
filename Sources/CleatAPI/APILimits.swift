/// The limits of what one call may carry.
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

    /// How long a change may be on trial, in milliseconds: a second to a day.
    package static let window: ClosedRange<Int64> = 1_000...86_400_000

    /// How long a change with probes is on trial where nothing else is said, in milliseconds.
    package static let probeWindow: Int64 = 120_000
    /// The largest number of documents that one change brings along.
    package static let documents = 64
    /// The most bytes of one of them.
    package static let documentBytes: Int64 = 1_000_000
    /// The most bytes of all of them together.
    package static let documentsBytes: Int64 = 4_000_000
    /// The largest number of probes of one change.
    package static let probes = 16

    /// The permissions that a file of an area can be given: three or four octal digits, without set-id and sticky bits.
    ///
    /// - Returns: nil where the text is anything else.
    package static func permissions(_ text: String) -> UInt16? {
        guard (3...4).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x37).contains($0) }),
            let bits = UInt16(text, radix: 8), bits <= 0o777
        else { return nil }
        return bits
    }

    /// Tells whether a text can be a transaction's id: 1 to 64 bytes of `A-Z a-z 0-9 . _ : -`.
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

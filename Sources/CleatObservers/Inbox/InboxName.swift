internal import CleatSandbox

/// The rules for the names of the inbox that are published: those that the file facade accepts.
enum InboxName {
    private static let reserved = Array(SandboxPath.reservedPrefix.utf8)

    /// Returns true if a name is one of the facade's own: a partly written file, or an incomplete upload.
    static func isReserved(_ name: [UInt8]) -> Bool { name.starts(with: reserved) }

    /// Returns the path of a name in a directory; nil if the facade refuses it.
    ///
    /// The directory's own path is empty or ends with a slash.
    static func path(_ name: [UInt8], in directory: String) -> String? {
        (try? SandboxPath(bytes: Array(directory.utf8) + name))?.text
    }

    /// Returns a name for messages, with control characters and bytes that are not UTF-8 escaped.
    static func shown(_ name: [UInt8], in directory: String) -> String {
        var text = directory
        if let valid = String(validating: name, as: UTF8.self) {
            for scalar in valid.unicodeScalars {
                if scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) {
                    text += "\\u{\(String(scalar.value, radix: 16))}"
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
            return text
        }
        for byte in name {
            if (0x20..<0x7F).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text
    }
}

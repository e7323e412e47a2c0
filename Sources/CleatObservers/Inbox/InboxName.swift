internal import CleatSandbox

/// Which names of the inbox are told: those that the file facade takes.
enum InboxName {
    private static let reserved = Array(SandboxPath.reservedPrefix.utf8)

    /// Tells whether a name is one of the facade's own: a half-written file, or an upload that is not complete.
    static func isReserved(_ name: [UInt8]) -> Bool { name.starts(with: reserved) }

    /// The path of a name in a directory, whose own path is empty or ends with a slash; nil where the facade refuses it.
    static func path(_ name: [UInt8], in directory: String) -> String? {
        (try? SandboxPath(bytes: Array(directory.utf8) + name))?.text
    }

    /// A name as it can be shown whatever is in it.
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

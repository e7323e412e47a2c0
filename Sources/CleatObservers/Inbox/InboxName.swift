/// Which names of the inbox are told: those that the file facade takes.
enum InboxName {
    /// What names of the facade's own begin with: half-written files and uploads that are not complete.
    static let reserved = Array(".cleat-".utf8)
    /// The longest path below the inbox, in bytes.
    static let pathLimit = 1_024
    /// The largest number of names in a path.
    static let depthLimit = 16

    /// Tells whether a name is one of the facade's own.
    static func isReserved(_ name: [UInt8]) -> Bool { name.starts(with: reserved) }

    /// The path of a name in a directory, or nil where the facade would refuse it: not UTF-8, control characters, too long.
    static func path(_ name: [UInt8], in directory: String) -> String? {
        guard !name.isEmpty, name.count <= 255, let text = String(validating: name, as: UTF8.self),
            !text.unicodeScalars.contains(where: isControl)
        else { return nil }
        let path = directory + text
        return path.utf8.count <= pathLimit ? path : nil
    }

    /// A name as it can be shown whatever is in it.
    static func shown(_ name: [UInt8], in directory: String) -> String {
        var text = directory
        if let valid = String(validating: name, as: UTF8.self) {
            for scalar in valid.unicodeScalars.prefix(255) {
                if isControl(scalar) {
                    text += "\\u{\(String(scalar.value, radix: 16))}"
                } else {
                    text.unicodeScalars.append(scalar)
                }
            }
            return text
        }
        for byte in name.prefix(255) {
            if (0x20..<0x7F).contains(byte) {
                text.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
            }
        }
        return text
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}

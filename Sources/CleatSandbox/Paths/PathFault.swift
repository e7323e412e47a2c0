/// A fault of a path as text.
package enum PathFault: String, Sendable, Hashable, CaseIterable {
    case absolute = "is absolute; omit the leading slash"
    case emptyName = "has an empty name; write one slash between two names and none at the end"
    case dots = "has a name “.” or “..”, which is not allowed; give a path of plain names"
    case nul = "holds a NUL byte; remove it"
    case control = "holds a control character; remove it"
    case notUTF8 = "is not UTF-8; give the file a name in UTF-8"
    case reserved = "has a name that begins with “.cleat-”, which is reserved for temporary files; take another name"
    case longName = "has a name of more than 255 bytes; take a shorter one"
    case manyNames = "has more than 16 names; put the file less deep"
    case longPath = "has more than 1,024 bytes; take shorter names"
    case slash = "holds a slash where none may be; omit it"

    /// Returns the first fault of a text as a path; nil if it is valid.
    @safe static func find(in bytes: UnsafeBufferPointer<UInt8>) -> PathFault? {
        if bytes.isEmpty { return nil }
        if bytes.count > SandboxPath.bytesLimit { return .longPath }
        if unsafe bytes[0] == UInt8(ascii: "/") { return .absolute }
        var start = 0
        var names = 0
        var before: UInt8 = 0
        for index in 0...bytes.count {
            guard index < bytes.count, unsafe bytes[index] != UInt8(ascii: "/") else {
                let name = unsafe UnsafeBufferPointer(rebasing: bytes[start..<index])
                if let fault = find(inName: name) { return fault }
                names += 1
                if names > SandboxPath.namesLimit { return .manyNames }
                start = index + 1
                before = 0
                continue
            }
            let byte = unsafe bytes[index]
            if byte == 0 { return .nul }
            // The control characters are C0, DEL, and C1, which are C2 80 … C2 9F in UTF-8.
            if byte < 0x20 || byte == 0x7F || (before == 0xC2 && byte < 0xA0) { return .control }
            before = byte
        }
        return nil
    }

    @safe private static func find(inName name: UnsafeBufferPointer<UInt8>) -> PathFault? {
        if name.isEmpty { return .emptyName }
        if name.count > SandboxPath.nameLimit { return .longName }
        let dot = UInt8(ascii: ".")
        if unsafe name.count <= 2 && name.allSatisfy({ $0 == dot }) { return .dots }
        return unsafe name.starts(with: SandboxPath.reservedPrefix.utf8) ? .reserved : nil
    }
}

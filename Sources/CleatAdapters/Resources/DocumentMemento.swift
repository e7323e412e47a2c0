internal import CleatIO
package import CleatSandbox

/// The contents of documents, by their SHA-256 in 64 hexadecimal digits.
package typealias DocumentContents = [String: [UInt8]]

/// The captured state of a file of the area `documents`: its bytes, mode and owner, or its absence.
package enum DocumentMemento: Equatable, Sendable {
    /// A file.
    case file(bytes: [UInt8], permissions: UInt16, owner: FileOwner)
    /// No file; this number of directories at the end of its path was missing, too.
    case absent(missingParents: UInt8)

    /// The content of the file; nil if there was none.
    package var bytes: [UInt8]? {
        if case .file(let bytes, _, _) = self { bytes } else { nil }
    }

    /// True if not all users could read the file.
    var isHidden: Bool {
        if case .file(_, let permissions, _) = self { permissions & 0o004 == 0 } else { false }
    }

    /// Writes the memento: 0 and a count, or 1, mode, user, group and content.
    func encode(into writer: inout ByteWriter) {
        switch self {
        case .absent(let missing):
            writer.number(UInt8(0))
            writer.number(missing)
        case .file(let bytes, let permissions, let owner):
            writer.number(UInt8(1))
            writer.number(permissions)
            writer.number(owner.user)
            writer.number(owner.group)
            writer.field(bytes)
        }
    }

    /// Reads the format of ``encode(into:)``.
    init(from reader: inout ByteReader) throws(MalformedBytes) {
        switch try reader.number(UInt8.self, upTo: 1) {
        case 0: self = .absent(missingParents: try reader.number(upTo: UInt8(SandboxPath.namesLimit) - 1))
        default:
            let permissions = try reader.number(UInt16.self, upTo: 0o7777)
            let owner = FileOwner(user: try reader.number(), group: try reader.number())
            self = .file(bytes: Array(try reader.field()), permissions: permissions, owner: owner)
        }
    }
}

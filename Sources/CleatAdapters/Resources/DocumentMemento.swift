package import CleatSandbox

/// The contents of documents, by their SHA-256 in 64 hexadecimal digits.
package typealias DocumentContents = [String: [UInt8]]

/// The captured state of a file of the area `documents`: its bytes, mode and owner, or its absence.
package enum DocumentMemento: Hashable, Sendable {
    /// A file.
    case file(bytes: [UInt8], permissions: UInt16, owner: FileOwner)
    /// No file; this number of directories at the end of its path was missing, too.
    case absent(missingParents: UInt8)

    /// The content of the file; nil if there was none.
    package var bytes: [UInt8]? {
        if case .file(let bytes, _, _) = self { bytes } else { nil }
    }

    /// True if not everybody could read the file.
    package var isHidden: Bool {
        if case .file(_, let permissions, _) = self { permissions & 0o004 == 0 } else { false }
    }

    /// The memento as bytes.
    ///
    /// They are `a` and a count, or `f`, mode, user and group, each big-endian in four bytes, and the content.
    package var encoded: [UInt8] {
        switch self {
        case .absent(let missing): [UInt8(ascii: "a"), missing]
        case .file(let bytes, let permissions, let owner):
            [UInt8(ascii: "f")] + Self.bigEndian(UInt32(permissions)) + Self.bigEndian(owner.user)
                + Self.bigEndian(owner.group) + bytes
        }
    }

    /// Reads the format of ``encoded``; nil if the bytes are not valid.
    package init?(encoded: ArraySlice<UInt8>) {
        switch encoded.first {
        case UInt8(ascii: "a"):
            guard encoded.count == 2, let missing = encoded.last, missing < SandboxPath.namesLimit else { return nil }
            self = .absent(missingParents: missing)
        case UInt8(ascii: "f"):
            guard encoded.count >= Self.headerBytes else { return nil }
            func number(_ index: Int) -> UInt32 {
                encoded.dropFirst(1 + 4 * index).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            }
            guard let permissions = UInt16(exactly: number(0)), permissions <= 0o7777 else { return nil }
            self = .file(
                bytes: Array(encoded.dropFirst(Self.headerBytes)), permissions: permissions,
                owner: FileOwner(user: number(1), group: number(2)))
        default: return nil
        }
    }

    private static let headerBytes = 13

    private static func bigEndian(_ number: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
    }
}

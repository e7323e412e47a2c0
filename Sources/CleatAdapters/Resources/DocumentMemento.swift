package import CleatSandbox

/// What documents shall hold, by the SHA-256 of it in 64 hexadecimal digits.
package typealias DocumentContents = [String: [UInt8]]

/// Holds what a file of the area `documents` was: its bytes, mode and owner, or that there was none.
package enum DocumentMemento: Hashable, Sendable {
    /// A file.
    case file(bytes: [UInt8], permissions: UInt16, owner: FileOwner)
    /// None; so many directories at the end of its path were missing, too.
    case absent(missingParents: UInt8)

    /// What the file held; nil where there was none.
    package var bytes: [UInt8]? {
        if case .file(let bytes, _, _) = self { bytes } else { nil }
    }

    /// Whether not everybody could read the file.
    package var isHidden: Bool {
        if case .file(_, let permissions, _) = self { permissions & 0o004 == 0 } else { false }
    }

    /// The memento as bytes: `a` and a count; or `f`, mode, user and group, each with the highest byte first, and the
    /// content.
    package var encoded: [UInt8] {
        switch self {
        case .absent(let missing): [UInt8(ascii: "a"), missing]
        case .file(let bytes, let permissions, let owner):
            [UInt8(ascii: "f")] + Self.bigEndian(UInt32(permissions)) + Self.bigEndian(owner.user)
                + Self.bigEndian(owner.group) + bytes
        }
    }

    /// Reads what ``encoded`` has written; nil where the bytes are anything else.
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

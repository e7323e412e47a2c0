internal import CleatHash
package import CleatSandbox

/// The desired state of a resource.
package enum ResourceState: Equatable, Sendable {
    /// A file with this content, for a ``Resource/file(_:)``.
    case file(FileState)
    /// A symbolic link to this path, for a ``Resource/link(_:)``.
    case link(String)
    /// No file and no link.
    case absent
    /// A text without a line feed at its end, for an attribute, a line or the host name.
    case text(String)
    /// The desired state of an interface.
    case interface(InterfaceState)
    /// A document with the content of this SHA-256, in 64 hexadecimal digits, for a ``Resource/document(_:)``.
    case content(String)
    /// Any state: nothing is written, but the state is captured and restored.
    ///
    /// The change of another resource of the same adapter changes this one, too.
    case kept

    /// Returns a file with this text, with its present owner, or the service as the owner of a new file.
    package static func file(_ text: String) -> ResourceState { .file(FileState(bytes: Array(text.utf8))) }

    /// Returns true if a resource of this kind can have the state.
    package func fits(_ resource: Resource) -> Bool {
        if case .kept = self { true } else { resource.handler.accepts(self) }
    }

    /// The SHA-256 of all parts of the state, in 64 hexadecimal digits.
    package var fingerprint: String {
        let bytes: [UInt8] =
            switch self {
            case .file(let file):
                Array(
                    "file \(file.owner.map { "\($0.user) \($0.group)" } ?? "-") "
                        .utf8) + Array("\(file.permissions.map { "\($0)" } ?? "-")\n".utf8) + file.bytes
            case .link(let target): Array("link\n\(target)".utf8)
            case .absent: Array("absent\n".utf8)
            case .text(let text): Array("text\n\(text)".utf8)
            // The whole state of an interface is never remembered.
            case .interface: Array("interface\n".utf8)
            case .content(let hash): Array("content\n\(hash)".utf8)
            case .kept: Array("kept\n".utf8)
            }
        return SHA256.hexadecimal(of: bytes)
    }
}

/// The desired content, permissions and owner of a file.
package struct FileState: Equatable, Sendable {
    /// The whole content.
    package var bytes: [UInt8]
    /// The permission bits; nil to keep the present ones, or 0644 for a new file.
    package var permissions: UInt16?
    /// The owner; nil to keep the present one, or for the service's own user if the file is new.
    package var owner: FileOwner?

    /// Creates a state.
    package init(bytes: [UInt8], permissions: UInt16? = nil, owner: FileOwner? = nil) {
        self.bytes = bytes
        self.permissions = permissions
        self.owner = owner
    }
}

package import CleatSandbox

/// The desired state of a resource.
package enum ResourceState: Hashable, Sendable {
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
        switch (self, resource) {
        case (.file, .file), (.link, .link), (.absent, .file), (.absent, .link), (.kept, _): true
        case (.text, .attribute), (.text, .hostName), (.text, .line), (.interface, .interface): true
        case (.content, .document): true
        default: false
        }
    }
}

/// The desired content, permissions and owner of a file.
package struct FileState: Hashable, Sendable {
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

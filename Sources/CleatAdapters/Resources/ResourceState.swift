package import CleatSandbox

/// Says what a resource shall be.
package enum ResourceState: Hashable, Sendable {
    /// A file with these bytes, for a ``Resource/file(_:)``.
    case file(FileState)
    /// A symbolic link that stands for this path, for a ``Resource/link(_:)``.
    case link(String)
    /// No file and no link.
    case absent
    /// This text, without a line feed at its end, for an attribute, a line or the host name.
    case text(String)
    /// What is said of an interface.
    case interface(InterfaceState)
    /// A document with the content of this SHA-256, in 64 hexadecimal digits, for a ``Resource/document(_:)``.
    case content(String)
    /// Whatever it is: nothing is written, but it is captured and brought back, since the change of another resource of
    /// the same adapter changes it, too.
    case kept

    /// A file with this text, owned by whom it belongs to now, or by the service.
    package static func file(_ text: String) -> ResourceState { .file(FileState(bytes: Array(text.utf8))) }

    /// Whether a resource of this kind can have the state.
    package func fits(_ resource: Resource) -> Bool {
        switch (self, resource) {
        case (.file, .file), (.link, .link), (.absent, .file), (.absent, .link), (.kept, _): true
        case (.text, .attribute), (.text, .hostName), (.text, .line), (.interface, .interface): true
        case (.content, .document): true
        default: false
        }
    }
}

/// Says what a file shall hold, and whose it shall be.
package struct FileState: Hashable, Sendable {
    /// The whole content.
    package var bytes: [UInt8]
    /// Its permission bits; nil for those that it has, or 0644.
    package var permissions: UInt16?
    /// Whom it shall belong to; nil for its present owner, or for whom the service runs as.
    package var owner: FileOwner?

    /// Takes all of it.
    package init(bytes: [UInt8], permissions: UInt16? = nil, owner: FileOwner? = nil) {
        self.bytes = bytes
        self.permissions = permissions
        self.owner = owner
    }
}

/// A declared file that a ``ManagedFileBatch`` is going to write, or to bring back.
package struct ManagedFileWrite: Sendable {
    /// The path as the system names it.
    package let path: String
    let bytes: [UInt8]
    let owner: FileOwner?
    let permissions: UInt16?
    let attributes: [ExtendedAttribute]?
    /// How it was reached when it was captured; nil where it is not brought back, or that is not known.
    let way: FileMemento.Way?

    /// Takes what ``ManagedFiles/write(_:to:owner:permissions:)`` will be given.
    package init(_ bytes: [UInt8], to path: String, owner: FileOwner? = nil, permissions: UInt16? = nil) {
        self.path = path
        self.bytes = bytes
        self.owner = owner
        self.permissions = permissions
        attributes = nil
        way = nil
    }

    /// Takes what ``ManagedFiles/restore(_:)`` will be given; nil where that writes no file.
    package init?(_ memento: FileMemento) {
        guard case .file(let bytes, let owner, let permissions, let attributes) = memento.state else { return nil }
        path = memento.path
        self.bytes = bytes
        self.owner = owner
        self.permissions = permissions
        self.attributes = attributes
        way = memento.way
    }
}

/// Where a managed file is written, and all that it shall be.
struct ManagedTarget: Sendable {
    /// Where it is.
    let place: ManagedPlace
    /// What tells its directory from others; nil where nobody asks.
    let directory: FileIdentity?
    let bytes: [UInt8]
    let owner: FileOwner?
    let permissions: UInt16
    /// Its extended attributes; nil for those that a new file has.
    let attributes: [ExtendedAttribute]?

    /// Whether it is the same file in the same place, in the place of the same one.
    func isSame(as other: ManagedTarget) -> Bool {
        directory != nil && directory == other.directory && place.name == other.place.name
            && place.attributes?.identity == other.place.attributes?.identity && owner == other.owner
            && permissions == other.permissions && attributes == other.attributes && bytes == other.bytes
    }
}

/// A declared file that a ``ManagedFileBatch`` is going to write or restore.
package struct ManagedFileWrite: Sendable {
    /// The absolute path as seen by the system.
    package let path: String
    let bytes: [UInt8]
    let owner: FileOwner?
    let permissions: UInt16?
    let attributes: [ExtendedAttribute]?
    /// The way by which it was reached when it was captured; nil if it is not restored, or the way is unknown.
    let way: FileMemento.Way?

    /// Makes a write from the arguments of ``ManagedFiles/write(_:to:owner:permissions:)``.
    package init(_ bytes: [UInt8], to path: String, owner: FileOwner? = nil, permissions: UInt16? = nil) {
        self.path = path
        self.bytes = bytes
        self.owner = owner
        self.permissions = permissions
        attributes = nil
        way = nil
    }

    /// Makes a write from the argument of ``ManagedFiles/restore(_:)``; nil if that writes no file.
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

/// The place, content and attributes of a managed file to write.
struct ManagedTarget: Sendable {
    /// The place of the file.
    let place: ManagedPlace
    /// The identity of its directory; nil outside of a batch.
    let directory: FileIdentity?
    let bytes: [UInt8]
    let owner: FileOwner?
    let permissions: UInt16
    /// The extended attributes; nil for those of a new file.
    let attributes: [ExtendedAttribute]?

    /// Returns true if both are the same file at the same place, replacing the same file.
    func isSame(as other: ManagedTarget) -> Bool {
        directory != nil && directory == other.directory && place.name == other.place.name
            && place.attributes?.identity == other.place.attributes?.identity && owner == other.owner
            && permissions == other.permissions && attributes == other.attributes && bytes == other.bytes
    }
}

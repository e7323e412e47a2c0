/// Identifies an upload: its owner, and the id that its client has chosen.
///
/// Every user has a separate set of ids, so that no user can write to, commit, abort or block the upload of another.
package struct UploadKey: Sendable, Hashable, Comparable {
    /// The most bytes of an id.
    package static let idLimit = 64

    /// The user ID of the client that sends the file.
    package let owner: UInt32
    /// The id, chosen by the client.
    package let id: String

    /// Makes a key.
    package init(owner: UInt32, id: String) {
        self.owner = owner
        self.id = id
    }

    /// Sorts by the bytes of the ids, then by the users.
    package static func < (left: UploadKey, right: UploadKey) -> Bool {
        left.id == right.id ? left.owner < right.owner : left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
    }

    /// True if the id has 1 to 64 bytes.
    var isValid: Bool { (1...Self.idLimit).contains(id.utf8.count) }
}

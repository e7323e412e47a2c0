/// Names an upload: whose it is, and the id that its client has chosen.
///
/// Every user has ids of its own, so that nobody can write to, commit, give up or block the upload of somebody else.
package struct UploadKey: Sendable, Hashable, Comparable {
    /// The most bytes of an id.
    package static let idLimit = 64

    /// The user who sends the file.
    package let owner: UInt32
    /// The id that the client has chosen.
    package let id: String

    /// Names an upload of a user.
    package init(owner: UInt32, id: String) {
        self.owner = owner
        self.id = id
    }

    /// By the bytes of the ids, then by the users.
    package static func < (left: UploadKey, right: UploadKey) -> Bool {
        left.id == right.id ? left.owner < right.owner : left.id.utf8.lexicographicallyPrecedes(right.id.utf8)
    }

    /// Whether the id has 1 to 64 bytes.
    var isValid: Bool { (1...Self.idLimit).contains(id.utf8.count) }
}

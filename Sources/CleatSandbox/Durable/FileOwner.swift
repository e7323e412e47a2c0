/// The user and the group that own a file.
package struct FileOwner: Sendable, Hashable {
    /// The user ID.
    package var user: UInt32
    /// The group ID.
    package var group: UInt32

    /// Makes an owner from two IDs.
    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}

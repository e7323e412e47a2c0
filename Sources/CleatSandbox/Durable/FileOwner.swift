/// Names the user and the group that a file belongs to.
package struct FileOwner: Sendable, Hashable {
    /// The user's number.
    package var user: UInt32
    /// The group's number.
    package var group: UInt32

    /// Takes two numbers.
    package init(user: UInt32, group: UInt32) {
        self.user = user
        self.group = group
    }
}

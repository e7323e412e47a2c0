import CleatHooks
import CleatIO

/// The user who asks for a change, and the rights that decide which paths and snapshots it may touch.
package struct Author: Sendable, Hashable {
    /// The user's name, as history and events have it.
    package let name: String
    /// True for root and the service's own user: the agent's own settings and the snapshots of others are theirs.
    package let isPrivileged: Bool

    /// Takes a name and the rights that go with it.
    package init(name: String, isPrivileged: Bool) {
        self.name = name
        self.isPrivileged = isPrivileged
    }

    /// Who asks where a hook runs the program that does: the hook, with the rights of its user.
    ///
    /// - Parameter cause: the hooks that the change goes back to, the latest last; nil where none does.
    /// - Returns: the hook, or the user.
    package func acting(for cause: String?) -> Author {
        guard let hook = HookCause(cause).hooks.last else { return self }
        return Author(name: "hook:\(hook)", isPrivileged: isPrivileged)
    }

    /// Takes a user by its number; a user whom the system does not know is named by that.
    init(user: UInt32) {
        self.init(
            name: UserDatabase.name(of: user) ?? "uid \(user)",
            isPrivileged: Access.isPrivileged(user, owner: ProcessSelf.uid))
    }
}

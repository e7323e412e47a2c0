import CleatHooks
import CleatIO

/// The user who makes a change, and the rights that decide which paths and snapshots it may touch.
package struct Author: Sendable, Hashable {
    /// The user's name, as it is in history and events.
    package let name: String
    /// True if the user is root or the service's own user, who may change the agent's own settings and others'
    /// snapshots.
    package let isPrivileged: Bool

    /// Creates an author from a name and its rights.
    package init(name: String, isPrivileged: Bool) {
        self.name = name
        self.isPrivileged = isPrivileged
    }

    /// Returns the author of a change that a hook's program makes: the hook, with the rights of its user.
    ///
    /// - Parameter cause: The hooks that caused the change, the latest last; nil if none did.
    /// - Returns: The hook, or the user if there is no hook.
    package func acting(for cause: String?) -> Author {
        guard let hook = HookCause(cause).hooks.last else { return self }
        return Author(name: "hook:\(hook)", isPrivileged: isPrivileged)
    }

    /// Creates an author from a uid; a user unknown to the system is named by the number.
    init(user: UInt32) {
        self.init(
            name: UserDatabase.name(of: user) ?? "uid \(user)",
            isPrivileged: Access.isPrivileged(user, owner: ProcessSelf.uid))
    }
}

import CleatHooks
import CleatIO
import CleatVarlink

/// The user who makes a change, and the rights that decide which paths and snapshots it may touch.
package struct Author: Sendable, Equatable {
    /// The user's name, by which authors are compared.
    package let name: String
    /// The name for history, events and the log, with remarks: `anna (by token; from 192.0.2.7, unverified)`.
    package let record: String
    /// True if the user is root or the service's own user, who may change the agent's own settings and others'
    /// snapshots.
    package let isPrivileged: Bool

    /// Creates an author from a name and its rights.
    package init(name: String, isPrivileged: Bool) {
        (self.name, record) = (name, name)
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

    /// Creates an author from a proved identity, and the address that its SSH session claims, which gives no rights.
    init(_ identity: ClientIdentity, claim: String? = nil) {
        name = identity.name
        isPrivileged = Access.isPrivileged(identity.uid, owner: ProcessSelf.uid)
        let remarks = [
            identity.proof == PeerAuthenticator().method ? nil : "by \(identity.proof)",
            claim.map { "from \($0), unverified" },
        ].compactMap(\.self)
        record = remarks.isEmpty ? name : "\(name) (\(remarks.joined(separator: "; ")))"
    }

    /// Creates an author from a uid; a user unknown to the system is named by the number.
    package init(user: UInt32) {
        self.init(
            name: UserDatabase.name(of: user) ?? "uid \(user)",
            isPrivileged: Access.isPrivileged(user, owner: ProcessSelf.uid))
    }
}

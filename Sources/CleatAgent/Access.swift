package import CleatIO

/// Decides which peer may do which operation on the service's socket.
///
/// Every call is decided here and nowhere else.
package struct Access: Sendable {
    /// The class of a call, from the least to the most powerful.
    package enum Operation: Sendable, CaseIterable {
        /// Reading settings, history, events, devices, hooks, files and status.
        case read
        /// Changing settings and files.
        case write
        /// Making the service run a program, such as a hook on demand; and reading the contents of system files from
        /// snapshots or writing them there.
        case execute
    }

    /// The name of the group whose members may connect to the socket and use the settings.
    package static let group = "cleat"

    /// The service's own user.
    private let owner: UInt32
    /// The gid of group `cleat`; nil if the system has no such group.
    private let group: UInt32?

    /// Creates the rules for a service that runs as `owner`.
    ///
    /// - Parameters:
    ///   - owner: The service's own user.
    ///   - group: The gid of group `cleat`; nil if there is none.
    package init(owner: UInt32, group: UInt32?) {
        self.owner = owner
        self.group = group
    }

    /// Returns true if a peer may do an operation.
    ///
    /// Root and the service's own user may do everything, members of group `cleat` may read and write, others may do
    /// nothing.
    package func decide(_ peer: PeerCredentials, _ operation: Operation) -> Bool {
        if isPrivileged(peer) { return true }
        guard let group, peer.gid == group || peer.groups.contains(group) else { return false }
        return operation != .execute
    }

    /// Returns true for root and the service's own user, who may do everything and for whom connections are reserved.
    package func isPrivileged(_ peer: PeerCredentials) -> Bool { Self.isPrivileged(peer.uid, owner: owner) }

    /// Returns true for the uids of root and of the service's own user.
    package static func isPrivileged(_ user: UInt32, owner: UInt32) -> Bool { user == 0 || user == owner }

    /// The group of settings that only privileged users change: the agent's own behaviour, logging and history.
    package static let ownGroup = "agent"

    /// Returns true if a peer may see secrets: only privileged ones may.
    package func reveals(_ peer: PeerCredentials) -> Bool { isPrivileged(peer) }

    /// Returns the class of a method.
    ///
    /// A method that is not listed here has the most powerful class, so that a new one is closed until it is listed.
    package static func operation(interface: String, method: String) -> Operation {
        switch (interface, method) {
        case ("org.varlink.service", _), ("dev.cleat.Service", "Status"): .read
        case ("dev.cleat.Settings", "Get"), ("dev.cleat.Settings", "List"), ("dev.cleat.Settings", "Describe"): .read
        case ("dev.cleat.Settings", "Watch"), ("dev.cleat.Settings", "Log"), ("dev.cleat.Settings", "Diff"): .read
        case ("dev.cleat.Settings", "Why"), ("dev.cleat.Settings", "Schema"), ("dev.cleat.Settings", "Doctor"): .read
        case ("dev.cleat.Events", "Subscribe"), ("dev.cleat.Events", "Devices"), ("dev.cleat.Events", "Links"): .read
        case ("dev.cleat.Hooks", "List"), ("dev.cleat.Hooks", "Test"): .read
        case ("dev.cleat.Settings", "Set"), ("dev.cleat.Settings", "Reset"), ("dev.cleat.Settings", "Rollback"): .write
        case ("dev.cleat.Transactions", "Pending"), ("dev.cleat.Transactions", "Wait"): .read
        case ("dev.cleat.System", "Drift"): .read
        case ("dev.cleat.System", "Reapply"), ("dev.cleat.System", "Adopt"): .write
        case ("dev.cleat.Transactions", "Confirm"), ("dev.cleat.Transactions", "Abort"): .write
        case ("dev.cleat.Transactions", "Extend"): .write
        case ("dev.cleat.Files", "Areas"), ("dev.cleat.Files", "List"), ("dev.cleat.Files", "Stat"): .read
        case ("dev.cleat.Files", "Read"), ("dev.cleat.Files", "Hash"), ("dev.cleat.Files", "Uploads"): .read
        case ("dev.cleat.Files", "Begin"), ("dev.cleat.Files", "Write"), ("dev.cleat.Files", "Commit"): .write
        case ("dev.cleat.Files", "Abort"), ("dev.cleat.Files", "Remove"), ("dev.cleat.Files", "Move"): .write
        case ("dev.cleat.Files", "Copy"), ("dev.cleat.Files", "MakeDirectory"): .write
        case ("dev.cleat.Snapshots", "List"), ("dev.cleat.Snapshots", "Show"), ("dev.cleat.Snapshots", "Diff"): .read
        case ("dev.cleat.Snapshots", "Create"), ("dev.cleat.Snapshots", "Restore"): .write
        case ("dev.cleat.Snapshots", "Delete"): .write
        default: .execute
        }
    }
}

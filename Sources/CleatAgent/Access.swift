package import CleatIO

/// Says who may do what on the service's socket.
///
/// Every call is decided here and nowhere else.
package struct Access: Sendable {
    /// What kind of thing a caller asks for, from the least to the most.
    package enum Operation: Sendable, CaseIterable {
        /// Looking: settings, history, events, devices, hooks, files, status.
        case read
        /// Changing settings and files.
        case write
        /// Making the service run something, a hook on demand; and taking the contents of system files out of snapshots, or
        /// into them.
        case execute
    }

    /// The name of the group whose members may connect to the socket and use the settings.
    package static let group = "cleat"

    /// The service's own user.
    private let owner: UInt32
    /// The number of group `cleat`; nil where the system has no such group.
    private let group: UInt32?

    /// Makes the rules for a service that runs as `owner`.
    ///
    /// - Parameters:
    ///   - owner: The service's own user.
    ///   - group: The number of group `cleat`; nil where there is none.
    package init(owner: UInt32, group: UInt32?) {
        self.owner = owner
        self.group = group
    }

    /// Decides whether a peer may do an operation: root and the service's own user may do everything, members of group
    /// `cleat` may read and write, others nothing.
    package func decide(_ peer: PeerCredentials, _ operation: Operation) -> Bool {
        if isPrivileged(peer) { return true }
        guard let group, peer.gid == group || peer.groups.contains(group) else { return false }
        return operation != .execute
    }

    /// Tells root and the service's own user, who may do everything and for whom connections are kept.
    package func isPrivileged(_ peer: PeerCredentials) -> Bool { Self.isPrivileged(peer.uid, owner: owner) }

    /// Tells root and the service's own user by their numbers.
    package static func isPrivileged(_ user: UInt32, owner: UInt32) -> Bool { user == 0 || user == owner }

    /// The group of settings that only privileged users change: how the agent itself behaves, logs and remembers.
    package static let ownGroup = "agent"

    /// Decides whether a peer may see secrets: privileged ones may.
    package func reveals(_ peer: PeerCredentials) -> Bool { isPrivileged(peer) }

    /// What kind of thing a method does.
    ///
    /// A method that is not named here is the most that there is, so that one that is added is closed until it is put
    /// in its place.
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

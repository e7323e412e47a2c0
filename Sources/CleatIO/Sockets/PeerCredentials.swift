/// The credentials of the peer of a Unix socket, as reported by the kernel. `SO_PEERCRED`, `SO_PEERGROUPS`
package struct PeerCredentials: Sendable, Hashable {
    /// The PID of the process that connected; it may have ended since.
    package var pid: Int32
    /// The effective user ID.
    package var uid: UInt32
    /// The effective group ID.
    package var gid: UInt32
    /// The supplementary group IDs.
    package var groups: [UInt32]

    /// Makes credentials.
    package init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    /// Returns true if the group is the peer's effective group or one of its supplementary groups.
    package func isMember(of group: UInt32) -> Bool { gid == group || groups.contains(group) }
}

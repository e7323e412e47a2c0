/// Who is at the other end of a Unix socket, as the kernel vouches for it. `SO_PEERCRED`, `SO_PEERGROUPS`
package struct PeerCredentials: Sendable, Hashable {
    /// The process that connected; it may have ended since.
    package var pid: Int32
    /// Its effective user.
    package var uid: UInt32
    /// Its effective group.
    package var gid: UInt32
    /// Its supplementary groups.
    package var groups: [UInt32]

    /// Makes credentials.
    package init(pid: Int32, uid: UInt32, gid: UInt32, groups: [UInt32] = []) {
        self.pid = pid
        self.uid = uid
        self.gid = gid
        self.groups = groups
    }

    /// Tells whether the peer is in a group, be it its first or a supplementary one.
    package func isMember(of group: UInt32) -> Bool { gid == group || groups.contains(group) }
}

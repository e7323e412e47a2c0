internal import CLinux
internal import SystemPackage

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// System calls of sockets with typed errors.
enum SocketCalls {
    // MARK: Unix sockets

    static var unixPathLimit: Int { Int(clinux_unix_path_limit) }

    /// The types of a Unix socket.
    enum UnixKind { case stream, datagrams, packets }

    static func unixSocket(nonblocking: Bool, kind: UnixKind = .stream) throws(Errno) -> Int32 {
        let type =
            switch kind {
            case .stream: SOCK_STREAM
            case .datagrams: SOCK_DGRAM
            case .packets: SOCK_SEQPACKET
            }
        #if canImport(Glibc)
            return try Kernel.check(clinux_unix_socket(Int32(type.rawValue), nonblocking ? 1 : 0))
        #else
            return try Kernel.check(clinux_unix_socket(type, nonblocking ? 1 : 0))
        #endif
    }

    static func bind(_ fd: Int32, to path: String) throws(Errno) {
        try Kernel.check(unsafe path.withCString { unsafe clinux_unix_bind(fd, $0, path.utf8.count) })
    }

    static func connect(_ fd: Int32, to path: String) throws(Errno) {
        try Kernel.check(unsafe path.withCString { unsafe clinux_unix_connect(fd, $0, path.utf8.count) })
    }

    static func listen(_ fd: Int32, backlog: Int32) throws(Errno) { try Kernel.check(clinux_listen(fd, backlog)) }
    static func accept(_ fd: Int32) throws(Errno) -> Int32 { try Kernel.check(clinux_accept(fd)) }
    static func shutdownWriting(_ fd: Int32) throws(Errno) { try Kernel.check(clinux_shutdown_write(fd)) }

    static func datagram(_ bytes: [UInt8], to path: String) throws(Errno) {
        let result = unsafe path.withCString { path in
            unsafe bytes.withUnsafeBytes { bytes in
                unsafe clinux_unix_datagram(path, unsafe strlen(path), bytes.baseAddress, bytes.count)
            }
        }
        try Kernel.check(result)
    }

    struct FileIdentity: Equatable {
        var device: UInt64
        var inode: UInt64
        var mode: UInt32
        var isSocket: Bool { clinux_mode_is_socket(mode) == 1 }
        /// Returns true for the same file, whatever its permissions are now.
        static func == (one: Self, other: Self) -> Bool { one.device == other.device && one.inode == other.inode }
    }

    static func identify(_ path: String) throws(Errno) -> FileIdentity {
        var found = clinux_identity()
        try Kernel.check(unsafe path.withCString { unsafe clinux_identify($0, &found) })
        return FileIdentity(device: found.device, inode: found.inode, mode: found.mode)
    }

    static func unlink(_ path: String) throws(Errno) {
        try Kernel.check(unsafe path.withCString { unsafe clinux_unlink($0) })
    }

    static func setMode(_ path: String, _ mode: UInt32) throws(Errno) {
        try Kernel.check(unsafe path.withCString { unsafe clinux_chmod($0, mode) })
    }

    static func setGroup(_ path: String, _ gid: UInt32) throws(Errno) {
        try Kernel.check(unsafe path.withCString { unsafe clinux_chown_group($0, gid) })
    }

    static func peer(_ fd: Int32) throws(Errno) -> PeerCredentials {
        var who = clinux_credentials()
        try Kernel.check(unsafe clinux_peer(fd, &who))
        var capacity = 32
        var groups: [UInt32] = []
        while true {
            var count: Int32 = 0
            groups = unsafe [UInt32](unsafeUninitializedCapacity: capacity) { buffer, initialized in
                count = unsafe clinux_peer_groups(fd, buffer.baseAddress, Int32(truncatingIfNeeded: capacity))
                initialized = max(0, min(Int(count), capacity))
            }
            // Kernels before 4.13 report only the primary group.
            if count < 0 {
                groups = []
                break
            }
            if Int(count) <= capacity || capacity >= 65536 { break }
            capacity = min(Int(count), 65536)
        }
        return PeerCredentials(pid: who.pid, uid: who.uid, gid: who.gid, groups: groups)
    }

    // MARK: Hosts on the network

    static func icmpSocket(_ address: [UInt8], isRaw: Bool) throws(Errno) -> Int32 {
        try Kernel.check(clinux_reach_icmp(address.count, isRaw ? 1 : 0))
    }
    static func tcpSocket(_ address: [UInt8]) throws(Errno) -> Int32 {
        try Kernel.check(clinux_reach_tcp(address.count))
    }

    /// Starts to connect; returns false if the connection is still in progress (`EINPROGRESS`).
    static func connect(_ fd: Int32, to address: [UInt8], zone: String?, port: UInt16) throws(Errno) -> Bool {
        let result = unsafe address.withUnsafeBufferPointer { bytes -> Int32 in
            guard let zone else { return unsafe clinux_reach_connect(fd, bytes.baseAddress, bytes.count, nil, port) }
            return unsafe zone.withCString {
                unsafe clinux_reach_connect(fd, bytes.baseAddress, bytes.count, $0, port)
            }
        }
        do throws(Errno) {
            try Kernel.check(result)
            return true
        } catch {
            guard error == .nowInProgress else { throw error }
            return false
        }
    }

    /// Throws the error with which a connection attempt failed, if any (`SO_ERROR`).
    static func checkConnection(_ fd: Int32) throws(Errno) { try Kernel.check(clinux_reach_error(fd)) }
}

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

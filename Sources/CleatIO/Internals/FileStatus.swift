internal import CLinux
internal import SystemPackage

/// The status of an open file: kind, owner, mode and size.
struct FileStatus: Sendable, Hashable {
    enum Kind: Sendable, Hashable { case file, directory, link, other }

    var kind: Kind
    var user: UInt32
    var group: UInt32
    /// The permission bits with set-user-id, set-group-id and the sticky bit.
    var mode: UInt32
    var size: UInt64

    /// Reads the status of an open file.
    init(of fd: Int32) throws(Errno) {
        var status = clinux_hooks_status()
        let result = unsafe clinux_hooks_look(fd, &status)
        guard result == 0 else { throw Errno(rawValue: -result) }
        kind =
            switch status.mode & 0o170000 {
            case 0o100000: .file
            case 0o040000: .directory
            case 0o120000: .link
            default: .other
            }
        user = status.uid
        group = status.gid
        mode = status.mode & 0o7777
        size = status.size
    }
}

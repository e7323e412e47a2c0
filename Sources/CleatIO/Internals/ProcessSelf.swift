#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// Who this process is.
package enum ProcessSelf {
    /// Its number.
    package static var pid: Int32 { getpid() }
    /// Its effective user.
    package static var uid: UInt32 { geteuid() }
    /// Its effective group.
    package static var gid: UInt32 { getegid() }
}

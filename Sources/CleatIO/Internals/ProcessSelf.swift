#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The identity of this process.
package enum ProcessSelf {
    /// The PID.
    package static var pid: Int32 { getpid() }
    /// The effective user ID.
    package static var uid: UInt32 { geteuid() }
    /// The effective group ID.
    package static var gid: UInt32 { getegid() }
}

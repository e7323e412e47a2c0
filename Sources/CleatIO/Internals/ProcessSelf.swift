#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#endif

/// The identity of this process.
package enum ProcessSelf {
    /// The PID.
    package static var pid: Int32 { getpid() }
    /// The session's ID.
    package static var session: Int32 { getsid(0) }
    /// The effective user ID.
    package static var uid: UInt32 { geteuid() }
    /// The effective group ID.
    package static var gid: UInt32 { getegid() }
}

/// The process's own environment.
package enum Environment {
    /// Returns a variable's value; nil if it is not set.
    package static func value(_ name: String) -> String? {
        unsafe getenv(name).map { unsafe String(cString: $0) }
    }
}

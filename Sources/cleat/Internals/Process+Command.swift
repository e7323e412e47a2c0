import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Process {
    /// The end of a program that this process has run.
    enum CommandEnd: Hashable, Sendable {
        /// It exited with a status.
        case exited(Int32)
        /// A signal killed it.
        case signalled(Int32)
        /// It could not be started.
        case notStarted(Errno)

        /// True if a signal killed it.
        var isSignalled: Bool { if case .signalled = self { true } else { false } }

        /// The exit status as a shell computes it: 128 plus the signal's number, 127 if there is no such program, 126
        /// if it cannot be run.
        var status: Int32 {
            switch self {
            case .exited(let status): status
            case .signalled(let number): 128 + number
            case .notStarted(.noSuchFileOrDirectory): 127
            case .notStarted: 126
            }
        }
    }

    /// Sets an environment variable for the programs that are started from now on.
    static func setEnvironment(_ name: String, _ value: String) {
        unsafe setenv(name, value, 1)
    }
}

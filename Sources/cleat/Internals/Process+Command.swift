import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension Process {
    /// How a program has ended that ran in the place of this one.
    enum CommandEnd: Hashable, Sendable {
        /// It ended with this status.
        case exited(Int32)
        /// This signal ended it.
        case signalled(Int32)
        /// It could not be started.
        case notStarted(Errno)

        /// Whether a signal ended it.
        var isSignalled: Bool { if case .signalled = self { true } else { false } }

        /// The exit status that a shell gives: 128 and the signal's number, 127 where there is no such program, 126 where
        /// it cannot be run.
        var status: Int32 {
            switch self {
            case .exited(let status): status
            case .signalled(let number): 128 + number
            case .notStarted(.noSuchFileOrDirectory): 127
            case .notStarted: 126
            }
        }
    }

    /// Sets a variable for the programs that are started from now on.
    static func setEnvironment(_ name: String, _ value: String) {
        unsafe setenv(name, value, 1)
    }
}

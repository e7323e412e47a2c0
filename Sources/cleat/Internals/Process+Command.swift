import CLinux
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

    /// Runs a program with the streams of this one to its end; SIGINT and SIGQUIT are the program's meanwhile.
    ///
    /// - Returns: how it ended, and whether a SIGINT came meanwhile.
    static func run(_ arguments: [String]) -> (end: CommandEnd, wasInterrupted: Bool) {
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        var interrupted: Int32 = 0
        let result = unsafe clinux_cli_run(&pointers, &interrupted)
        guard result >= 0 else { return (.notStarted(Errno(rawValue: 0 &- result)), interrupted != 0) }
        let signal = result & 0x7f
        return (signal == 0 ? .exited(result >> 8 & 0xff) : .signalled(signal), interrupted != 0)
    }
}

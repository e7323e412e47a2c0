import CLinux
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Functions for the process of the command line.
enum Process {
    /// Returns an environment variable; nil if it is not set.
    static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// True if the process may belong to an SSH session; sudo(8) and doas(1) hide the variable of ssh(1).
    static var mayBeInSession: Bool {
        ["SSH_CONNECTION", "SUDO_UID", "DOAS_USER"].contains { environment($0) != nil }
    }

    /// Sets an environment variable for the programs that are started from now on.
    static func setEnvironment(_ name: String, _ value: String) {
        unsafe setenv(name, value, 1)
    }

    /// The number of the first argument that is not UTF-8, counted from 1; nil if all are UTF-8.
    static var firstArgumentThatIsNoText: Int? {
        // Only an argument with a replacement character can be one, which is rare.
        for (number, argument) in CommandLine.arguments.enumerated()
        where number > 0 && argument.unicodeScalars.contains("\u{fffd}") {
            guard let raw = unsafe CommandLine.unsafeArgv[number] else { continue }
            if unsafe String(validatingCString: raw) == nil { return number }
        }
        return nil
    }

    /// Returns true if a descriptor is a terminal.
    static func isTerminal(_ descriptor: FileDescriptor) -> Bool {
        isatty(descriptor.rawValue) == 1
    }

    /// The effective user id of the process.
    static var effectiveUser: UInt32 { geteuid() }

    /// Ignores SIGPIPE, so that a write to a closed pipe or socket fails instead of ending the process.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Ends the process with status 0 after a number of seconds, even while it waits.
    static func endQuietly(afterSeconds seconds: UInt32) {
        signal(SIGALRM) { _ in _exit(0) }
        alarm(seconds)
    }

    /// Ends the process with a status.
    static func exit(_ status: CommandStatus) -> Never {
        _exit(status.rawValue)
    }

    /// Waits for a number of milliseconds.
    static func pause(milliseconds: CInt) { _ = poll(nil, 0, milliseconds) }
}

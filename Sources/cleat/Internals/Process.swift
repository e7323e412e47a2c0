import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What the command line asks of the process that it runs in.
enum Process {
    /// Reads a variable of the environment.
    static func environment(_ name: String) -> String? {
        guard let value = unsafe getenv(name) else { return nil }
        return unsafe String(cString: value)
    }

    /// Tells whether a descriptor is a terminal.
    static func isTerminal(_ descriptor: FileDescriptor) -> Bool {
        isatty(descriptor.rawValue) == 1
    }

    /// The width of the terminal on a descriptor, in columns; nil where there is none.
    static func terminalWidth(_ descriptor: FileDescriptor) -> Int? {
        var size = winsize()
        guard unsafe ioctl(descriptor.rawValue, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }

    /// The user that the process acts as.
    static var effectiveUser: UInt32 { geteuid() }

    /// Tells whether something stands at a path.
    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

    /// Makes a write to a closed pipe or socket an error instead of the end of the process.
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Ends the process quietly after a number of seconds, whatever it waits for.
    static func endQuietly(afterSeconds seconds: UInt32) {
        signal(SIGALRM) { _ in _exit(0) }
        alarm(seconds)
    }

    /// Ends the process with a status.
    static func exit(_ status: CommandStatus) -> Never {
        _exit(status.rawValue)
    }
}

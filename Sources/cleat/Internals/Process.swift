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

    /// Writes a whole text.
    ///
    /// It avoids the library's generic function, whose type metadata costs time in a short-lived process.
    static func write(_ text: String, to descriptor: FileDescriptor) throws(Errno) {
        var text = text
        let error = text.withUTF8 { unsafe write(UnsafeRawBufferPointer($0), to: descriptor) }
        if let error { throw error }
    }

    /// Writes all of the bytes.
    static func write(_ bytes: [UInt8], to descriptor: FileDescriptor) throws(Errno) {
        let error = unsafe bytes.withUnsafeBytes { unsafe write($0, to: descriptor) }
        if let error { throw error }
    }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: FileDescriptor) -> Errno? {
        var rest = unsafe bytes
        while let base = rest.baseAddress, rest.count > 0 {
            #if canImport(Glibc)
                let count = unsafe Glibc.write(descriptor.rawValue, base, rest.count)
            #elseif canImport(Musl)
                let count = unsafe Musl.write(descriptor.rawValue, base, rest.count)
            #endif
            if count < 0 {
                if errno == EINTR { continue }
                // Another process that shares the descriptor may have made it non-blocking.
                if errno == EAGAIN {
                    var waiting = pollfd(fd: descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
                    _ = unsafe poll(&waiting, 1, -1)
                    continue
                }
                return Errno(rawValue: errno)
            }
            unsafe rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
        }
        return nil
    }

    /// Returns true if a descriptor is a terminal.
    static func isTerminal(_ descriptor: FileDescriptor) -> Bool {
        isatty(descriptor.rawValue) == 1
    }

    /// The effective user id of the process.
    static var effectiveUser: UInt32 { geteuid() }

    /// Returns true if a file exists at a path.
    static func exists(_ path: String) -> Bool {
        unsafe access(path, F_OK) == 0
    }

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
}

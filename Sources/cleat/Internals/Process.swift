import CLinux
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

    /// The first argument of the command line that is not UTF-8, counted from 1; nil where all are.
    static var firstArgumentThatIsNoText: Int? {
        // Almost always there is no sign of one.
        for (number, argument) in CommandLine.arguments.enumerated()
        where number > 0 && argument.unicodeScalars.contains("\u{fffd}") {
            guard let raw = unsafe CommandLine.unsafeArgv[number] else { continue }
            if unsafe String(validatingCString: raw) == nil { return number }
        }
        return nil
    }

    /// Writes a whole text.
    ///
    /// Without the library's generic way, whose types a process that lives for one call has to build first.
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
                // Who shares the descriptor may have made it such.
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

    /// Tells whether a descriptor is a terminal.
    static func isTerminal(_ descriptor: FileDescriptor) -> Bool {
        isatty(descriptor.rawValue) == 1
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

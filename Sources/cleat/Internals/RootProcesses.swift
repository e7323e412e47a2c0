import CLinux
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Starts a service and a command that connects to it, and waits for their ends and for signals.
final class RootProcesses {
    /// An event.
    enum Event: Hashable {
        /// The service has sent READY=1.
        case ready
        /// A child may have ended.
        case child
        /// A signal that ends the command; `isTyped` if the terminal has sent it to the whole foreground process group.
        case ending(signal: Int32, isTyped: Bool)
        /// The time has passed without an event.
        case nothing
    }

    private let signals: Int32
    private let notices: Int32

    /// Redirects signals to ``next(milliseconds:)``, and listens at a path for the service's notifications.
    init(notices path: String) throws(Errno) {
        notices = try Self.check(unsafe path.withCString { unsafe clinux_root_listen($0) })
        signals = try Self.check(clinux_root_hear_signals())
    }

    deinit {
        close(signals)
        close(notices)
    }

    /// Starts a program; with a log file it is started as a service that writes both its streams to that file.
    static func start(
        _ program: String, _ arguments: [String], adding variables: [String: String], log: FileDescriptor? = nil
    ) throws(Errno) -> Int32 {
        var words = unsafe arguments.map { unsafe strdup($0) }
        unsafe words.append(nil)
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe []
        var place = unsafe clinux_root_environment()
        while let variable = unsafe place?.pointee {
            let text = unsafe String(cString: variable)
            let name = text.prefix { $0 != "=" }
            if variables[String(name)] == nil { unsafe environment.append(strdup(variable)) }
            unsafe place = unsafe place?.advanced(by: 1)
        }
        for (name, value) in variables { unsafe environment.append(strdup("\(name)=\(value)")) }
        unsafe environment.append(nil)
        defer { unsafe (words + environment).forEach { unsafe free($0) } }
        return try check(unsafe clinux_root_start(program, &words, &environment, log?.rawValue ?? -1))
    }

    /// Waits for the next event, for a number of milliseconds at most; nil waits without a limit.
    func next(milliseconds: Int32? = nil) throws(Errno) -> Event {
        var waiting = [
            pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
            pollfd(fd: notices, events: Int16(POLLIN), revents: 0),
        ]
        let count = unsafe poll(&waiting, 2, milliseconds ?? -1)
        if count < 0 {
            if errno == EINTR { return .child }
            throw Errno(rawValue: errno)
        }
        if count == 0 { return .nothing }
        if waiting[0].revents != 0 {
            var isTyped: Int32 = 0
            let signal = try Self.check(unsafe clinux_root_next_signal(signals, &isTyped))
            return signal == SIGCHLD ? .child : .ending(signal: signal, isTyped: isTyped == 1)
        }
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let size = unsafe buffer.withUnsafeMutableBytes {
            unsafe clinux_root_receive(notices, $0.baseAddress, UInt(bitPattern: $0.count))
        }
        guard size >= 0 else { throw Errno(rawValue: Int32(truncatingIfNeeded: 0 &- size)) }
        let lines = buffer.prefix(size).split(separator: UInt8(ascii: "\n"))
        return lines.contains { $0.elementsEqual("READY=1".utf8) } ? .ready : .child
    }

    /// Returns the status of a child, as in waitpid(2); nil if it has not ended.
    static func end(of process: Int32) throws(Errno) -> Int32? {
        var status: Int32 = 0
        return try check(unsafe clinux_root_ended(process, &status)) == 1 ? status : nil
    }

    /// Sends a signal to a child.
    static func signal(_ process: Int32, _ number: Int32) { kill(process, number) }

    /// Ends this process by a signal that it has received through the descriptor.
    static func end(by number: Int32) { clinux_root_end_by(number) }

    @discardableResult
    private static func check(_ result: Int32) throws(Errno) -> Int32 {
        guard result >= 0 else { throw Errno(rawValue: 0 &- result) }
        return result
    }
}

extension Process {
    /// Resolves a path; nil if the file does not exist. realpath(3)
    static func resolved(_ path: String) -> String? {
        guard let text = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(text) }
        return unsafe String(cString: text)
    }

    /// Returns true if a path is that of a directory.
    static func isDirectory(_ path: String) -> Bool {
        guard let directory = try? FileDescriptor.open(FilePath(path), .readOnly, options: [.directory, .closeOnExec])
        else {
            return false
        }
        try? directory.close()
        return true
    }

    /// Locks a directory against other commands, and waits for the lock for a number of seconds at most. flock(2)
    ///
    /// - Returns: the descriptor that holds the lock; nil if the directory cannot be locked.
    /// - Throws: `wouldBlock` if another process still has the lock.
    static func lock(directory: String, seconds: Int32) throws(Errno) -> FileDescriptor? {
        let lock = unsafe clinux_root_lock(directory, seconds)
        if lock >= 0 { return FileDescriptor(rawValue: lock) }
        if Errno(rawValue: 0 &- lock) == .wouldBlock { throw .wouldBlock }
        return nil
    }

    /// Returns true if a program at a path can be executed.
    static func canRun(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    /// Creates an unlinked file in a directory, for reading and writing.
    static func makeNamelessFile(in directory: String) throws(Errno) -> FileDescriptor {
        let path = directory + "/log"
        do {
            let file = try FileDescriptor.open(
                FilePath(path), .readWrite, options: [.create, .exclusiveCreate, .append, .closeOnExec],
                permissions: [.ownerReadWrite])
            unsafe unlink(path)
            return file
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Returns the last bytes of an open file as text.
    static func tail(of file: FileDescriptor, limit: Int) -> String {
        var buffer = [UInt8](repeating: 0, count: limit)
        let size = lseek(file.rawValue, 0, SEEK_END)
        let count = unsafe buffer.withUnsafeMutableBytes {
            unsafe pread(file.rawValue, $0.baseAddress, $0.count, max(0, size - off_t($0.count)))
        }
        return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
    }
}

import CLinux
import Logging
import Synchronization
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The target of log lines: standard error, with the journal's priority prefix if it is the journal (sd-daemon(3)), or
/// the system log's socket (RFC 3164 as `/dev/log` accepts it).
///
/// It never blocks: a reader that is too slow loses lines, and gets a line with their number, but does not stop the
/// service.
final class LogSink: Sendable {
    private enum Style {
        case plain, journal, syslog
    }

    private struct State {
        var descriptor: Int32
        var lost = 0
        var written: Int64 = 0
    }

    private let style: Style
    private let state: Mutex<State>

    init(_ target: LogTarget) {
        switch target {
        case .standardError:
            style = Self.standardErrorIsJournal() ? .journal : .plain
            state = Mutex(State(descriptor: Self.openStandardError()))
        case .syslog:
            style = .syslog
            state = Mutex(State(descriptor: Self.connectToSystemLog()))
        }
    }

    /// Installs handlers so that a signal that kills the process leaves a line in the log. sigaction(2)
    ///
    /// The process still ends with the signal. The line to a system log uses a socket of its own, so a log that was
    /// restarted since then misses it.
    ///
    /// - Throws: `Errno` of the system call.
    func reportFatalSignals() throws(Errno) {
        let prefix =
            switch style {
            case .plain: "\(Logger.Level.critical.rawValue.uppercased().padded(to: 8)) "
            case .journal: "<\(Logger.Level.critical.severity)>"
            case .syslog: "<\(3 << 3 | Logger.Level.critical.severity)>cleatd[\(getpid())]: "
            }
        let descriptor = style == .syslog ? Self.connectToSystemLog() : state.withLock { $0.descriptor }
        try ProcessCalls.reportFatalSignals(to: descriptor, prefix: prefix, endsLine: style != .syslog)
    }

    func write(_ line: String, level: Logger.Level) {
        state.withLock { state in
            if state.lost > 0, send("\(state.lost) messages were lost: their reader was too slow", .warning, &state) {
                state.lost = 0
            }
            if send(line, level, &state) {
                state.written += Int64(line.utf8.count + 1)
            } else {
                state.lost += 1
            }
        }
    }

    /// The bytes of all lines that were written.
    var written: Int64 { state.withLock { $0.written } }

    private func send(_ line: String, _ level: Logger.Level, _ state: inout State) -> Bool {
        var text =
            switch style {
            case .plain: "\(level.rawValue.uppercased().padded(to: 8)) \(line)"
            case .journal: "<\(level.severity)>\(line)"
            // Facility 3 is daemon; the log's own daemon adds the time.
            case .syslog: "<\(3 << 3 | level.severity)>cleatd[\(getpid())]: \(line)"
            }
        if text.utf8.count > AgentLogHandler.lineLimit {
            text = String(decoding: text.utf8.prefix(AgentLogHandler.lineLimit), as: UTF8.self) + "…"
        }
        if style != .syslog { text += "\n" }

        if style == .syslog, state.descriptor < 0 { state.descriptor = Self.connectToSystemLog() }
        guard state.descriptor >= 0 else { return false }
        var poller = pollfd(fd: state.descriptor, events: Int16(POLLOUT), revents: 0)
        guard unsafe poll(&poller, 1, 0) == 1, poller.revents & Int16(POLLOUT) != 0 else { return false }
        let bytes = Array(text.utf8)
        let written = unsafe bytes.withUnsafeBytes { buffer in
            style == .syslog
                ? unsafe Self.transmit(state.descriptor, buffer)
                : unsafe Self.put(state.descriptor, buffer)
        }
        if written < 0, style == .syslog, errno != EAGAIN {
            // The log's daemon was restarted: its old socket is gone.
            _ = close(state.descriptor)
            state.descriptor = -1
        }
        return written == bytes.count
    }

    private static func transmit(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
        unsafe sendto(
            descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL),
            nil, 0)
    }

    private static func put(_ descriptor: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
        let sent = unsafe transmit(descriptor, buffer)
        if sent >= 0 || errno != ENOTSOCK { return sent }
        return (try? unsafe FileDescriptor(rawValue: descriptor).write(buffer)) ?? -1
    }

    private static func connectToSystemLog() -> Int32 {
        #if canImport(Glibc)
            let datagram = Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            let datagram = SOCK_DGRAM | SOCK_CLOEXEC
        #endif
        let descriptor = socket(AF_UNIX, datagram, 0)
        guard descriptor >= 0 else { return -1 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { path in
            unsafe path.copyBytes(from: Array("/dev/log".utf8))
        }
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                unsafe connect(descriptor, pointer, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else {
            _ = close(descriptor)
            return -1
        }
        return descriptor
    }

    /// Opens standard error for writing without blocking.
    ///
    /// poll(2) reports a terminal as writable as soon as it has space for one byte, and a line that is longer would
    /// block. So a terminal or pipe is opened again, which leaves the flags of other processes that share it unchanged;
    /// a file does not block, and sockets, which cannot be opened again, get MSG_DONTWAIT with every line.
    private static func openStandardError() -> Int32 {
        var status = stat()
        guard unsafe fstat(2, &status) == 0 else { return 2 }
        let kind = status.st_mode & S_IFMT
        guard kind == S_IFCHR || kind == S_IFIFO else { return 2 }
        let descriptor = unsafe open("/proc/self/fd/2", O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        return descriptor < 0 ? 2 : descriptor
    }

    /// Returns true if standard error is the stream that systemd connected to the journal: `JOURNAL_STREAM` names its
    /// device and inode (systemd.exec(5)).
    private static func standardErrorIsJournal() -> Bool {
        guard let value = unsafe getenv("JOURNAL_STREAM") else { return false }
        var status = stat()
        guard unsafe fstat(2, &status) == 0 else { return false }
        return unsafe String(cString: value) == "\(status.st_dev):\(status.st_ino)"
    }
}

extension Logger.Level {
    /// The severity of RFC 5424, section 6.2.1.
    fileprivate var severity: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}

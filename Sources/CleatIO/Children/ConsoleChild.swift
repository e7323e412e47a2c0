internal import CLinux
internal import Synchronization
package import SystemPackage

/// A child process of a command line, which the caller waits for without an event loop.
///
/// It inherits what a program expects from a shell: the environment, the working directory, the umask, open descriptors
/// and ignored signals, except SIGPIPE. It stays in this process group, so that it gets the terminal's input and
/// signals, unless it is a ``Command/Role-swift.enum/service``.
package final class ConsoleChild: Sendable {
    /// The program, and the differences from what it inherits.
    package struct Command: Sendable {
        /// The relation to the terminal and to the end of this process.
        package enum Role: Sendable {
            /// It shares the terminal.
            case foreground
            /// It has a process group of its own, and gets SIGTERM when this process ends.
            case service
        }

        /// The name of the program, which is searched for in `PATH`, or its path.
        package var program: String
        /// The arguments, beginning with the program's name.
        package var arguments: [String]
        /// Environment variables that are added or replaced.
        package var variables: [String: String] = [:]
        /// Descriptors that become the standard streams; nil for those of this process.
        package var streams: (input: FileDescriptor, output: FileDescriptor, error: FileDescriptor)?
        /// Signals that have their default action in the program, even if this process ignores them.
        package var defaultSignals: [Signal] = [.brokenPipe]
        /// The relation to the terminal and to the end of this process.
        package var role = Role.foreground

        /// Makes a command from a command line.
        package init(_ arguments: [String]) {
            program = arguments.first ?? ""
            self.arguments = arguments
        }
    }

    /// The PID; it is not reused before ``end(wait:)`` has returned a status.
    package let pid: Int32
    private let status = Mutex<ChildResult.Status?>(nil)
    private static let running = Mutex<Set<Int32>>([])

    /// Starts a program.
    ///
    /// The signals of ``SignalQueue`` are not blocked in the program.
    package init(_ command: Command) throws(Errno) {
        // With SIGCHLD ignored, the ends of children would not be reported.
        Kernel.prepareSignals()
        let streams: [Descriptor]
        if let given = command.streams {
            streams = try [given.input, given.output, given.error].map { stream throws(Errno) in
                Descriptor(owning: try Kernel.duplicate(stream.rawValue))
            }
        } else {
            streams = []
        }
        defer { for stream in streams { stream.close() } }
        let started = try Kernel.spawn(command, streams: streams.map(\.rawValue))
        pid = started
        Self.running.withLock { _ = $0.insert(started) }
    }

    deinit { Self.running.withLock { [pid] in _ = $0.remove(pid) } }

    /// Returns the exit status; nil if the program still runs. `waitpid(2)`
    ///
    /// - Parameter wait: True to wait for the end of the program.
    /// - Returns: The exit status.
    /// - Throws: The error of `waitpid`.
    package func end(wait: Bool = false) throws(Errno) -> ChildResult.Status? {
        if let ended = status.withLock({ $0 }) { return ended }
        var number: Int32 = 0
        guard try Kernel.check(unsafe clinux_reap_process(pid, wait ? 1 : 0, &number)) == 1 else { return nil }
        let signal = number & 0x7f
        let ended: ChildResult.Status = signal == 0 ? .exited(number >> 8 & 0xff) : .signalled(signal)
        status.withLock { $0 = ended }
        Self.running.withLock { [pid] in _ = $0.remove(pid) }
        return ended
    }

    /// Sends a signal to the program; does nothing once ``end(wait:)`` has returned a status.
    package func send(_ signal: Signal) {
        if status.withLock({ $0 == nil }) { signal.send(to: pid) }
    }

    /// Returns true if a process is a child whose end its owner waits for.
    static func isAwaited(_ pid: Int32) -> Bool { running.withLock { $0.contains(pid) } }
}

import CleatIO
import SystemPackage

/// The events of a service and of a command that connects to it: the service's readiness, ends and signals.
final class RootProcesses {
    /// An event.
    enum Event: Hashable {
        /// The service has sent READY=1.
        case ready
        /// A child may have ended.
        case child
        /// A signal that ends the command; `isTyped` if the terminal has sent it to the whole foreground process group.
        case ending(signal: Signal, isTyped: Bool)
        /// The time has passed without an event.
        case nothing
    }

    private let signals: SignalQueue
    private let notices: NotifyListener

    /// Redirects signals to ``next(milliseconds:)``, and listens at a path for the service's notifications.
    init(notices path: String) throws(Errno) {
        notices = try NotifyListener(path)
        signals = try SignalQueue()
    }

    /// Starts a program with default signal actions; with a log file it is started as a service that writes both its
    /// streams to that file.
    static func start(
        _ program: String, _ arguments: [String], adding variables: [String: String], log: FileDescriptor? = nil
    ) throws(Errno) -> ConsoleChild {
        var command = ConsoleChild.Command(arguments)
        command.program = program
        command.variables = variables
        command.defaultSignals += [.interrupt, .quit, .terminate, .hangUp]
        guard let log else { return try ConsoleChild(command) }
        command.role = .service
        do {
            let nothing = try FileDescriptor.open(FilePath("/dev/null"), .readOnly, options: .closeOnExec)
            defer { try? nothing.close() }
            command.streams = (nothing, log, log)
            return try ConsoleChild(command)
        } catch {
            throw error as? Errno ?? .ioError
        }
    }

    /// Waits for the next event, for a number of milliseconds at most; nil waits without a limit.
    func next(milliseconds: Int32? = nil) throws(Errno) -> Event {
        let limit = milliseconds.map { ContinuousClock.now + .milliseconds(Int64($0)) }
        let ready = try Process.wait(
            for: [signals.descriptor.rawValue, notices.descriptor.rawValue], milliseconds: milliseconds)
        if ready[0], let arrival = try signals.next() {
            return arrival.signal == .child ? .child : .ending(signal: arrival.signal, isTyped: arrival.isTyped)
        }
        if ready[1] { return try notices.isReady() ? .ready : .child }
        return limit.map { $0 <= .now } == true ? .nothing : .child
    }
}

import CLinux
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs a program with the standard streams of this process, and receives the signals that end it early.
///
/// The program stays in this process group, so that it gets the terminal's input and signals, too.
final class RunningCommand {
    /// An event.
    enum Event: Hashable, Sendable {
        /// The program has ended.
        case ended(Process.CommandEnd)
        /// A signal that would end this process; `isTyped` if the terminal has sent it to the whole foreground process
        /// group.
        case signal(Int32, isTyped: Bool)
        /// The watched descriptor has data, or has reached its end.
        case readable
        /// The time has passed without an event.
        case nothing
    }

    /// The time that the program has to exit after each signal, in milliseconds, before the next signal is sent.
    private static let grace: Int64 = 3_000

    private let signals: Int32
    private let process: Int32
    private var outcome: Process.CommandEnd?

    /// Starts a program, which is searched for in `PATH`.
    init(_ arguments: [String]) throws(Errno) {
        let signals = clinux_root_hear_signals()
        guard signals >= 0 else { throw Errno(rawValue: 0 &- signals) }
        var pointers: [UnsafeMutablePointer<CChar>?] = unsafe arguments.map { unsafe strdup($0) }
        unsafe pointers.append(nil)
        defer { unsafe pointers.forEach { unsafe free($0) } }
        let process = unsafe clinux_command_start(&pointers)
        guard process > 0 else {
            clinux_command_finish(signals)
            throw Errno(rawValue: 0 &- process)
        }
        self.signals = signals
        self.process = process
    }

    deinit { clinux_command_finish(signals) }

    /// Waits for the next event.
    ///
    /// - Parameters:
    ///   - descriptor: a descriptor that is watched as well; nil for none.
    ///   - milliseconds: the time limit; nil for none.
    /// - Returns: the event.
    /// - Throws: the reason why waiting failed.
    func next(watching descriptor: Int32? = nil, milliseconds: Int32? = nil) throws(Errno) -> Event {
        let limit = milliseconds.map { ContinuousClock.now + .milliseconds(Int64($0)) }
        while true {
            // The SIGCHLD of the program's end is read here, too, so the end is checked after it: checked before it, an
            // end whose SIGCHLD was read already would be waited for.
            if let signal = nextSignal() { return signal }
            clinux_command_reap()
            if let end = try ended() {
                // A signal that arrived before the end is returned first.
                return nextSignal() ?? .ended(end)
            }
            var waiting = [
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let left = limit.map { Self.milliseconds(until: $0) } ?? -1
            let count = unsafe poll(&waiting, 2, left)
            if count < 0, errno != EINTR { throw Errno(rawValue: errno) }
            if count > 0, waiting[0].revents == 0, waiting[1].revents != 0 { return .readable }
            // Children that end all the time must not extend the wait.
            if count == 0 || left == 0 { return .nothing }
        }
    }

    /// Ends the program with all its descendants, except those that have become services (in a session of their own).
    ///
    /// - Parameters:
    ///   - signal: the signal to forward; nil for SIGTERM.
    ///   - isTyped: true if the terminal has sent the signal to the program already.
    /// - Returns: the program's end.
    /// - Throws: the reason why waiting failed.
    func end(after signal: Int32? = nil, isTyped: Bool = false) throws(Errno) -> Process.CommandEnd {
        let first = isTyped ? 0 : signal ?? SIGTERM
        // An interactive program may continue after SIGINT, so SIGTERM follows.
        // SIGKILL is sent twice: the second one reaches the processes that were started during the first.
        for number in signal == SIGINT ? [first, SIGTERM, SIGKILL, SIGKILL] : [first, SIGKILL, SIGKILL] {
            if send(number) == 0, let outcome { return outcome }
            let limit = ContinuousClock.now + .milliseconds(Self.grace)
            while true {
                let end = try ended()
                if let end, send(0) == 0 { return end }
                let left = ContinuousClock.now.duration(to: limit) / .milliseconds(1)
                guard left > 0 else { break }
                // The received signals are discarded; the loop only checks again.
                _ = try waitForSignal(milliseconds: Int32(left) + 1)
            }
        }
        return outcome ?? .signalled(SIGKILL)
    }

    /// Sends a signal to the program and its descendants, and returns their number; 0 sends nothing.
    private func send(_ number: Int32) -> Int32 {
        let count = clinux_command_signal(number)
        if count >= 0 { return count }
        // Without /proc only the program itself is known.
        if outcome != nil { return 0 }
        kill(process, number)
        return 1
    }

    /// Returns the time until an instant as a timeout of poll(2); 0 if the instant has passed.
    private static func milliseconds(until limit: ContinuousClock.Instant) -> Int32 {
        let left = ContinuousClock.now.duration(to: limit) / .milliseconds(1)
        return left > 0 ? Int32(clamping: Int64(left) + 1) : 0
    }

    private func ended() throws(Errno) -> Process.CommandEnd? {
        if let outcome { return outcome }
        var status: Int32 = 0
        let result = unsafe clinux_root_ended(process, &status)
        guard result >= 0 else { throw Errno(rawValue: 0 &- result) }
        guard result == 1 else { return nil }
        let signal = status & 0x7f
        outcome = signal == 0 ? .exited(status >> 8 & 0xff) : .signalled(signal)
        return outcome
    }

    private func nextSignal() -> Event? {
        var isTyped: Int32 = 0
        while true {
            let number = unsafe clinux_root_next_signal(signals, &isTyped)
            guard number > 0 else { return nil }
            // SIGQUIT is left to the program.
            guard [SIGINT, SIGTERM, SIGHUP].contains(number), clinux_command_heeds(number) == 1 else { continue }
            return .signal(number, isTyped: isTyped == 1)
        }
    }

    private func waitForSignal(milliseconds: Int32) throws(Errno) {
        var waiting = pollfd(fd: signals, events: Int16(POLLIN), revents: 0)
        let count = unsafe poll(&waiting, 1, milliseconds)
        if count < 0, errno != EINTR { throw Errno(rawValue: errno) }
        while nextSignal() != nil {}
    }
}

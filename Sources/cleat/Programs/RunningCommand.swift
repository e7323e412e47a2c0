import CleatIO
import SystemPackage

/// Runs a program with the standard streams of this process, and receives the signals that end it early.
///
/// The program stays in this process group, so that it gets the terminal's input and signals, too.
final class RunningCommand {
    /// An event.
    enum Event: Hashable, Sendable {
        /// The program has ended.
        case ended(ChildResult.Status)
        /// A signal that would end this process; `isTyped` if the terminal has sent it to the whole foreground process
        /// group.
        case signal(Signal, isTyped: Bool)
        /// The watched descriptor has data, or has reached its end.
        case readable
        /// The time has passed without an event.
        case nothing
    }

    /// The time that the program has to exit after each signal, in milliseconds, before the next signal is sent.
    private static let grace: Int64 = 3_000

    private let signals: SignalQueue
    private let program: ConsoleChild

    /// Starts a program, which is searched for in `PATH`.
    init(_ arguments: [String]) throws(Errno) {
        let signals = try SignalQueue()
        do {
            try Descendants.adoptOrphans(true)
            program = try ConsoleChild(.init(arguments))
        } catch {
            Self.stopListening(signals)
            throw error
        }
        self.signals = signals
    }

    deinit { Self.stopListening(signals) }

    private static func stopListening(_ signals: SignalQueue) {
        signals.end()
        try? Descendants.adoptOrphans(false)
    }

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
            Descendants.reapOrphans()
            if let end = try program.end() {
                // A signal that arrived before the end is returned first.
                return nextSignal() ?? .ended(end)
            }
            let left = limit.map { Self.milliseconds(until: $0) }
            let ready = try Process.wait(
                for: [signals.descriptor.rawValue, descriptor ?? -1], milliseconds: left)
            if !ready[0], ready[1] { return .readable }
            // Children that end all the time must not extend the wait.
            if left == 0 || limit.map({ $0 <= .now }) == true { return .nothing }
        }
    }

    /// Ends the program with all its descendants, except those that have become services (in a session of their own).
    ///
    /// - Parameters:
    ///   - signal: the signal to forward; nil for SIGTERM.
    ///   - isTyped: true if the terminal has sent the signal to the program already.
    /// - Returns: the program's end.
    /// - Throws: the reason why waiting failed.
    func end(after signal: Signal? = nil, isTyped: Bool = false) throws(Errno) -> ChildResult.Status {
        let first = isTyped ? nil : signal ?? .terminate
        // An interactive program may continue after SIGINT, so SIGTERM follows.
        // SIGKILL is sent twice: the second one reaches the processes that were started during the first.
        for one in signal == .interrupt ? [first, .terminate, .kill, .kill] : [first, .kill, .kill] {
            if try send(one) == 0, let end = try program.end() { return end }
            let limit = ContinuousClock.now + .milliseconds(Self.grace)
            while true {
                if let end = try program.end(), try send(nil) == 0 { return end }
                let left = Self.milliseconds(until: limit)
                guard left > 0 else { break }
                // The received signals are discarded; the loop only checks again.
                _ = try Process.wait(for: [signals.descriptor.rawValue], milliseconds: left)
                while nextSignal() != nil {}
            }
        }
        return try program.end() ?? .signalled(Signal.kill.rawValue)
    }

    /// Sends a signal to the program and its descendants, and returns their number; nil sends nothing.
    private func send(_ signal: Signal?) throws(Errno) -> Int {
        do {
            return try Descendants.send(signal, of: program)
        } catch {
            // Without /proc only the program itself is known.
            if try program.end() != nil { return 0 }
            if let signal { program.send(signal) }
            return 1
        }
    }

    /// Returns the time until an instant as a timeout of poll(2); 0 if the instant has passed.
    private static func milliseconds(until limit: ContinuousClock.Instant) -> Int32 {
        let left = ContinuousClock.now.duration(to: limit) / .milliseconds(1)
        return left > 0 ? Int32(clamping: Int64(left) + 1) : 0
    }

    private func nextSignal() -> Event? {
        while let arrival = try? signals.next() {
            // SIGQUIT is handled by the program.
            guard [.interrupt, .terminate, .hangUp].contains(arrival.signal), !arrival.signal.isIgnored else {
                continue
            }
            return .signal(arrival.signal, isTyped: arrival.isTyped)
        }
        return nil
    }
}

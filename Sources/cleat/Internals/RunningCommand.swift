import CLinux
import SystemPackage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Runs a program with the streams of this one, and hears meanwhile of what ends it early.
///
/// It stays in this one's process group, so that what is typed at the terminal is for it, too.
final class RunningCommand {
    /// What has happened.
    enum Event: Hashable, Sendable {
        /// The program has ended.
        case ended(Process.CommandEnd)
        /// A signal that would end this process; typed where the terminal has sent it to all in the foreground.
        case signal(Int32, isTyped: Bool)
        /// The descriptor that is watched has something to read, or has ended.
        case readable
        /// Nothing for as long as was waited.
        case nothing
    }

    /// How long it has to end, in milliseconds, before it is ended by force.
    private static let grace: Int64 = 3_000

    private let signals: Int32
    private let process: Int32
    private var outcome: Process.CommandEnd?

    /// Starts a program, found in `PATH`.
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

    /// Waits for what happens next.
    ///
    /// - Parameters:
    ///   - descriptor: what is watched as well; nil for nothing.
    ///   - milliseconds: how long it waits; nil for as long as it takes.
    /// - Returns: what has happened.
    /// - Throws: why it cannot be waited for.
    func next(watching descriptor: Int32? = nil, milliseconds: Int32? = nil) throws(Errno) -> Event {
        let limit = milliseconds.map { ContinuousClock.now + .milliseconds(Int64($0)) }
        while true {
            // The signal of the program's end is read here, too, so that the end is looked for behind that: whoever looked
            // before would wait for a signal that has been read.
            if let signal = nextSignal() { return signal }
            clinux_command_reap()
            if let end = try ended() {
                // One that came before the end is told.
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
            // Children that end all the time keep nobody from looking.
            if count == 0 || left == 0 { return .nothing }
        }
    }

    /// Ends it, with all that it has started and that did not make itself a service.
    ///
    /// - Parameters:
    ///   - signal: a signal that is passed on; nil where there is none, which is SIGTERM.
    ///   - isTyped: whether the terminal has sent it to the program, too.
    /// - Returns: how it ended.
    /// - Throws: why it cannot be waited for.
    func end(after signal: Int32? = nil, isTyped: Bool = false) throws(Errno) -> Process.CommandEnd {
        let first = isTyped ? 0 : signal ?? SIGTERM
        // Who works with a person goes on after SIGINT.
        // By force twice: what was started while the first was sent is found by the second.
        for number in signal == SIGINT ? [first, SIGTERM, SIGKILL, SIGKILL] : [first, SIGKILL, SIGKILL] {
            if send(number) == 0, let outcome { return outcome }
            let limit = ContinuousClock.now + .milliseconds(Self.grace)
            while true {
                let end = try ended()
                if let end, send(0) == 0 { return end }
                let left = ContinuousClock.now.duration(to: limit) / .milliseconds(1)
                guard left > 0 else { break }
                // Whatever it is, nothing more is done about it than to look again.
                _ = try waitForSignal(milliseconds: Int32(left) + 1)
            }
        }
        return outcome ?? .signalled(SIGKILL)
    }

    /// Sends a signal to all of it, and says how many there are; none for 0.
    private func send(_ number: Int32) -> Int32 {
        let count = clinux_command_signal(number)
        if count >= 0 { return count }
        // Without /proc only the program itself is known.
        if outcome != nil { return 0 }
        kill(process, number)
        return 1
    }

    /// How long it is until an instant, as poll(2) takes it; 0 where that is over.
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
            // SIGQUIT is the program's.
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

import CleatIO
import Synchronization

/// Gives the pages of the program's code and constants back once the service has been quiet for a while.
///
/// A start, a call or an event touches places all over the program, the kernel maps what lies around each of them, and
/// most of that is not needed again. What is needed comes back from the page cache as it is touched.
///
/// One timer is set by the first work after a release, and put off where there was work meanwhile: a service to which
/// nothing happens is not woken again.
final class ProgramPages: Sendable {
    /// How far it is from the last work to the next release.
    enum Phase: Sendable, Hashable {
        /// Nothing was touched since the pages were given back; no timer is set.
        case released
        /// Something was touched, the last time then; the timer is set.
        case touched(last: BootTime)

        /// Notes work.
        ///
        /// - Returns: whether the timer is to be set.
        mutating func work(at now: BootTime) -> Bool {
            defer { self = .touched(last: now) }
            return self == .released
        }

        /// Notes that the timer has fired.
        ///
        /// - Returns: until when the timer is to be set again; nil where the pages are to be given back.
        mutating func timerFired(at now: BootTime, quiet: Duration) -> BootTime? {
            if case .touched(let last) = self {
                let end = last.advanced(by: quiet)
                if now < end { return end }
            }
            self = .released
            return nil
        }
    }

    /// How long nothing is called and nothing happens before pages are given back.
    static let quiet: Duration = .seconds(2)

    private let loop: EventLoop
    private let quiet: Duration
    private let release: @Sendable () -> Void
    private let phase = Mutex(Phase.released)

    /// Makes what gives the pages back; nothing happens before ``touched()``.
    ///
    /// - Parameters:
    ///   - loop: What the timer is one of.
    ///   - quiet: How long nothing is done before pages are given back.
    ///   - release: Gives them back, on the loop's thread.
    init(on loop: EventLoop, quiet: Duration = ProgramPages.quiet, release: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.quiet = quiet
        self.release = release
    }

    /// Notes that something was done, for which places in the program were touched.
    func touched() {
        let now = BootTime.now()
        guard phase.withLock({ $0.work(at: now) }) else { return }
        loop.task(name: "program's pages") { [self] in
            var end = now.advanced(by: quiet)
            while true {
                // Nobody cancels it; it goes with the loop.
                guard (try? await loop.sleep(until: end)) != nil else { return }
                guard let later = phase.withLock({ $0.timerFired(at: .now(), quiet: quiet) }) else { break }
                end = later
            }
            release()
        }
    }
}

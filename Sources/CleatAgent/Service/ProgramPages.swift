import CleatIO
import Logging
import Synchronization

/// Releases the pages of the program's code and constants once the service has been idle for a while.
///
/// A start, a call or an event touches addresses all over the program, the kernel maps the pages around each of them,
/// and most of them are not needed again. Needed pages are read from the page cache when they are touched.
///
/// One timer is set by the first work after a release, and postponed if there was work meanwhile: an idle service is
/// not woken again.
final class ProgramPages: Sendable {
    /// The state between the last work and the next release.
    enum Phase: Sendable, Equatable {
        /// Nothing was touched since the pages were released; no timer is set.
        case released
        /// Pages were touched, the last time at this instant; the timer is set.
        case touched(last: BootTime)

        /// Records work.
        ///
        /// - Returns: True if the timer is to be set.
        mutating func work(at now: BootTime) -> Bool {
            defer { self = .touched(last: now) }
            return self == .released
        }

        /// Records that the timer has fired.
        ///
        /// - Returns: The instant to which the timer is to be set again; nil if the pages are to be released.
        mutating func timerFired(at now: BootTime, quiet: Duration) -> BootTime? {
            if case .touched(let last) = self {
                let end = last.advanced(by: quiet)
                if now < end { return end }
            }
            self = .released
            return nil
        }
    }

    /// The idle time before pages are released.
    static let quiet: Duration = .seconds(2)

    private let loop: EventLoop
    private let quiet: Duration
    private let release: @Sendable () -> Void
    private let phase = Mutex(Phase.released)

    /// Creates the object; nothing happens before ``touched()``.
    ///
    /// - Parameters:
    ///   - loop: The event loop of the timer.
    ///   - quiet: The idle time before pages are released.
    ///   - release: Releases them, on the loop's thread.
    init(on loop: EventLoop, quiet: Duration = ProgramPages.quiet, release: @escaping @Sendable () -> Void) {
        self.loop = loop
        self.quiet = quiet
        self.release = release
    }

    /// Records work that has touched pages of the program.
    func touched() {
        let now = BootTime.now()
        guard phase.withLock({ $0.work(at: now) }) else { return }
        loop.task(name: "program's pages") { [self] in
            var end = now.advanced(by: quiet)
            while true {
                // It is never cancelled; it ends with the loop.
                guard (try? await loop.sleep(until: end)) != nil else { return }
                guard let later = phase.withLock({ $0.timerFired(at: .now(), quiet: quiet) }) else { break }
                end = later
            }
            release()
        }
    }

    /// Releases the pages of the program text to the page cache, and logs the result at level debug.
    static func release(_ log: Logger) {
        do {
            let bytes = try ProcessMemory.releaseProgram()
            log.debug("the pages of \(bytes) bytes of program are released to the page cache")
        } catch {
            log.debug("the program's pages stay mapped: \(error)")
        }
    }
}

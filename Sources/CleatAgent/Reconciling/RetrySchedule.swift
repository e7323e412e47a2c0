import CleatIO

/// The automatic retries of something that has failed: a few, with growing delays.
struct RetrySchedule: Equatable, Sendable {
    /// The delays in seconds before the retries.
    static let delays: [Int64] = [5, 60, 600]
    /// The delay in seconds of a retry that comes while a change is on trial.
    private static let postponement: Int64 = 60

    /// The instant of the next retry; nil if there is none.
    private(set) var next: BootTime?
    private var attempt = 0

    /// Returns the instant of the retry after a number of failed attempts; nil after the last one.
    static func instant(after attempts: Int, _ now: BootTime) -> BootTime? {
        attempts < delays.count ? now.advanced(by: .seconds(delays[attempts])) : nil
    }

    /// Starts with the first retry.
    mutating func start(_ now: BootTime) {
        attempt = 0
        next = Self.instant(after: 0, now)
    }

    /// Moves the next retry, which could not be made.
    mutating func postpone(_ now: BootTime) {
        next = now.advanced(by: .seconds(Self.postponement))
    }

    /// Goes on to the next retry.
    ///
    /// - Parameters:
    ///   - now: The present instant.
    ///   - isNeeded: True if the last one has failed.
    mutating func advance(_ now: BootTime, isNeeded: Bool) {
        attempt += 1
        next = isNeeded ? Self.instant(after: attempt, now) : nil
    }
}

/// A schedule of retries: the first pause is 10 ms, each further one twice as long up to a limit, until an instant.
struct Retrying {
    private static let first = Duration.milliseconds(10)
    private let longest: Duration
    private let limit: ContinuousClock.Instant
    private var pause = first

    /// Creates a schedule that ends at an instant.
    ///
    /// - Parameters:
    ///   - limit: the instant after which there is no further attempt.
    ///   - longest: the longest pause.
    init(until limit: ContinuousClock.Instant, longest: Duration) {
        self.limit = limit
        self.longest = longest
    }

    /// Returns the pause before the next attempt, in milliseconds, rounded up; nil if no time remains.
    mutating func next(now: ContinuousClock.Instant = .now) -> Int32? {
        guard now < limit else { return nil }
        let pause = min(self.pause, now.duration(to: limit))
        self.pause = min(self.pause * 2, longest)
        let (seconds, attoseconds) = pause.components
        return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}

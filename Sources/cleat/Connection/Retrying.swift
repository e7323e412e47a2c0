/// When a service that has gone is looked for again: at once, then after pauses that grow, up to an instant.
struct Retrying {
    private static let first = Duration.milliseconds(10)
    private let longest: Duration
    private let limit: ContinuousClock.Instant
    private var pause = first

    /// Plans to try until an instant.
    ///
    /// - Parameters:
    ///   - limit: the last instant at which it is tried.
    ///   - longest: the longest pause.
    init(until limit: ContinuousClock.Instant, longest: Duration) {
        self.limit = limit
        self.longest = longest
    }

    /// The pause before the next try, in whole milliseconds; nil where there is no time left.
    mutating func next(now: ContinuousClock.Instant = .now) -> Int32? {
        guard now < limit else { return nil }
        let pause = min(self.pause, now.duration(to: limit))
        self.pause = min(self.pause * 2, longest)
        let (seconds, attoseconds) = pause.components
        return Int32(clamping: seconds * 1_000 + attoseconds / 1_000_000_000_000_000 + 1)
    }
}

/// Limits a rate: a burst first, then once per interval.
package struct RateLimiter: Sendable, Hashable {
    /// The maximum number of admissions in a row.
    package let burst: Int
    /// The time that each of them adds.
    package let interval: Duration
    /// The instant from which past admissions no longer count.
    private var clear = BootTime(milliseconds: 0)

    /// Creates a limiter that has admitted nothing.
    package init(burst: Int, interval: Duration) {
        self.burst = burst
        self.interval = interval
    }

    /// Requests an admission now; it is counted if it is given.
    ///
    /// - Returns: Nil if it is given; else the time to wait.
    package mutating func admit(_ now: BootTime) -> Duration? {
        let ahead = clear.duration(since: now)
        let space = interval * (burst - 1)
        guard ahead <= space else { return ahead - space }
        clear = (ahead > .zero ? clear : now).advanced(by: interval)
        return nil
    }

    /// Returns true if past admissions no longer count.
    package func isClear(_ now: BootTime) -> Bool { clear.duration(since: now) <= .zero }
}

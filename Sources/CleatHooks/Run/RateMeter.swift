/// Measures for how long the events of a hook have exceeded its rate; times are in milliseconds.
struct RateMeter: Sendable {
    /// The time without a delayed event after which the measurement restarts.
    static let pause: Int64 = 10_000
    /// The shortest duration that is reported.
    static let limit: Int64 = 60_000

    private var times: (first: Int64, last: Int64)?

    /// Notes that an event was delayed.
    mutating func note(at now: Int64) {
        guard let times, now - times.last <= Self.pause else {
            times = (now, now)
            return
        }
        self.times = (times.first, now)
    }

    /// Returns the duration so far; nil if the rate is not exceeded now, or has been for less than ``limit``.
    func duration(at now: Int64) -> Int64? {
        guard let times, now - times.last <= Self.pause, times.last - times.first >= Self.limit else { return nil }
        return times.last - times.first
    }
}

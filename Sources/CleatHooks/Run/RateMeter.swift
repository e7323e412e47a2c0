/// Tells for how long events of a hook have come faster than its rate allows; times are in milliseconds.
struct RateMeter: Sendable {
    /// After so long without an event that had to wait, the time begins anew.
    static let pause: Int64 = 10_000
    /// So long it takes until it is worth telling.
    static let limit: Int64 = 60_000

    private var times: (first: Int64, last: Int64)?

    /// Notes that an event had to wait.
    mutating func note(at now: Int64) {
        guard let times, now - times.last <= Self.pause else {
            times = (now, now)
            return
        }
        self.times = (times.first, now)
    }

    /// For how long it has been so; nil where it is not, or for less than a minute.
    func duration(at now: Int64) -> Int64? {
        guard let times, now - times.last <= Self.pause, times.last - times.first >= Self.limit else { return nil }
        return times.last - times.first
    }
}

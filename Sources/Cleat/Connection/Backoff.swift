/// How long to wait before the next attempt to reach a service: twice as long each time, up to a limit.
struct Backoff {
    private static let first = Duration.milliseconds(20)
    private let limit: Duration
    private var delay = first

    init(limit: Duration) { self.limit = limit }

    /// The time to wait now.
    mutating func next() -> Duration {
        defer { delay = min(delay * 2, limit) }
        return min(delay, limit)
    }

    /// Begins anew: something has happened where the service was missed.
    mutating func reset() { delay = Self.first }
}

/// The delay before the next attempt to reach a service: 20 ms at first, doubled each time, up to a limit.
struct Backoff {
    private static let first = Duration.milliseconds(20)
    private let limit: Duration
    private var delay = first

    init(limit: Duration) { self.limit = limit }

    /// Returns the present delay, and doubles it for the next call.
    mutating func next() -> Duration {
        defer { delay = min(delay * 2, limit) }
        return min(delay, limit)
    }

    /// Starts again with the first delay, because the service's socket has changed or the service has replied.
    mutating func reset() { delay = Self.first }
}

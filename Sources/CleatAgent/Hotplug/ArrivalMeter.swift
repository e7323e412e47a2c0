import CleatIO

/// Limits the rate at which an interface that comes and goes is configured: a burst first, then once per interval.
struct ArrivalMeter: Sendable, Hashable {
    /// The maximum number of configurations in a row.
    static let burst = 5
    /// The time that each of them adds.
    static let interval = Duration.seconds(2)

    /// The instant from which past configurations no longer count.
    private var clear = BootTime(milliseconds: 0)

    /// Requests a configuration now; it is counted if it is admitted.
    ///
    /// - Returns: Nil if it is admitted; else the time to wait.
    mutating func admit(_ now: BootTime) -> Duration? {
        let ahead = clear.duration(since: now)
        let space = Self.interval * (Self.burst - 1)
        guard ahead <= space else { return ahead - space }
        clear = (ahead > .zero ? clear : now).advanced(by: Self.interval)
        return nil
    }
}

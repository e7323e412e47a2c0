import CleatIO

/// Meters how often an interface that comes and goes is configured: a few times in a row, then once in a while.
struct ArrivalMeter: Sendable, Hashable {
    /// How often in a row.
    static let burst = 5
    /// How long each of them counts.
    static let interval = Duration.seconds(2)

    /// The instant at which all that was done no longer counts.
    private var clear = BootTime(milliseconds: 0)

    /// Asks whether an interface may be configured now, which counts then.
    ///
    /// - Returns: nil where it may; else how long it has to wait.
    mutating func admit(_ now: BootTime) -> Duration? {
        let ahead = clear.duration(since: now)
        let room = Self.interval * (Self.burst - 1)
        guard ahead <= room else { return ahead - room }
        clear = (ahead > .zero ? clear : now).advanced(by: Self.interval)
        return nil
    }
}

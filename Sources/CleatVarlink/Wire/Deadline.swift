/// The instant at which a client stops waiting, or none.
struct Deadline {
    private let instant: ContinuousClock.Instant?

    init(after limit: Duration?) { instant = limit.map { ContinuousClock.now.advanced(by: $0) } }

    var isOver: Bool { instant.map { $0 <= .now } ?? false }

    /// The remaining time, rounded up; -1 if there is no limit.
    var remainingMilliseconds: Int64 {
        guard let instant else { return -1 }
        let (seconds, attoseconds) = ContinuousClock.now.duration(to: instant).components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        guard seconds < 1 << 40 else { return .max }
        return seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
    }
}

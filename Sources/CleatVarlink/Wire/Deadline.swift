internal import CleatIO

/// The instant at which a client stops waiting, or none.
struct Deadline {
    private let instant: BootTime?

    init(after limit: Duration?) { instant = limit.map { BootTime.now().advanced(by: $0) } }

    var isOver: Bool { instant.map { $0 <= .now() } ?? false }

    /// The remaining time, rounded up; -1 if there is no limit.
    var remainingMilliseconds: Int64 {
        guard let instant else { return -1 }
        let now = BootTime.now()
        guard now < instant else { return 0 }
        let (left, overflow) = instant.nanoseconds.subtractingReportingOverflow(now.nanoseconds)
        return overflow ? .max : (left - 1) / 1_000_000 + 1
    }
}

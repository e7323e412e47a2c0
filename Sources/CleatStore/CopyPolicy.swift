import CleatAPI

/// Decides when the second copy is written: at most once in an interval, also across restarts of the service.
struct CopyPolicy {
    /// The least time between two copies, in milliseconds.
    var interval: Int64
    /// The copy on the device; nil where there is none.
    var last: SecondCopy.Header?
    /// When a copy failed to be written in this run, in milliseconds of CLOCK_BOOTTIME.
    var failed: Int64?

    /// Says whether the copy on the device holds another state than `generation`.
    func isStale(_ generation: GenerationRef) -> Bool {
        guard let last else { return generation.generation > 0 }
        return last.generation != generation
    }

    /// Says how long to wait before a copy may be written, in milliseconds; nil when there is no need of one.
    func delay(for generation: GenerationRef, bootID: String, bootTime: Int64) -> Int64? {
        guard isStale(generation) else { return nil }
        var start: Int64 = .min
        if let last {
            // A copy of another boot is at least as old as this boot.
            start = last.bootID == bootID && last.bootTime <= bootTime ? last.bootTime : 0
        }
        if let failed { start = max(start, failed) }
        guard start > .min else { return 0 }
        let (due, overflow) = start.addingReportingOverflow(interval)
        return overflow ? interval : max(0, due.subtractingReportingOverflow(bootTime).partialValue)
    }
}

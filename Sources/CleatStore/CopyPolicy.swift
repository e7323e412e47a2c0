import CleatAPI

/// The schedule of the second copy: it is written at most once in an interval, also across restarts of the service.
struct CopyPolicy {
    /// The least time between two copies, in milliseconds.
    var interval: Int64
    /// The header of the copy on the device; nil if there is none.
    var last: SecondCopy.Header?
    /// The time of the last failed write of a copy in this run, in milliseconds of CLOCK_BOOTTIME.
    var failed: Int64?

    /// Returns true if the copy on the device holds another state than `generation`.
    func isStale(_ generation: GenerationRef) -> Bool {
        guard let last else { return generation.generation > 0 }
        return last.generation != generation
    }

    /// Returns the time to wait before a copy may be written, in milliseconds; nil if no copy is needed.
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

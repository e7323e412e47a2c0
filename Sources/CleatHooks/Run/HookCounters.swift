/// The counters of the events that matched a hook.
package struct HookCounters: Sendable, Hashable {
    /// Events that matched.
    package var matched: Int64 = 0
    /// Runs that have ended, including those that could not be started.
    package var runs: Int64 = 0
    /// Runs that failed, whatever the reason.
    package var failures: Int64 = 0
    /// Runs that were killed because they exceeded their time limit.
    package var timeouts: Int64 = 0
    /// Runs that could not be started.
    package var refused: Int64 = 0
    /// Events that were replaced by a newer one of the same subject before they ran.
    package var merged: Int64 = 0
    /// Events that were delayed because the rate of their subject was used up.
    package var delayed: Int64 = 0
    /// Events that were replaced by a newer one while they were delayed by the rate of their subject.
    package var suppressed: Int64 = 0
    /// Events that were lost because the queue was full.
    package var dropped: Int64 = 0
    /// Events that were caused by the hook itself, or by a chain of too many hooks.
    package var cut: Int64 = 0

    /// Creates counters at zero.
    package init() {}

    /// Events that matched and had no run of their own.
    package var withoutRun: Int64 { merged &+ suppressed &+ dropped &+ cut }

    mutating func count(_ offer: HookQueue.Offer) {
        matched &+= 1
        switch offer {
        case .queued: break
        case .merged: merged &+= 1
        case .delayed: delayed &+= 1
        case .suppressed: suppressed &+= 1
        case .dropped: dropped &+= 1
        case .cut: cut &+= 1
        }
    }

    mutating func add(_ other: HookCounters) {
        matched &+= other.matched
        runs &+= other.runs
        failures &+= other.failures
        timeouts &+= other.timeouts
        refused &+= other.refused
        merged &+= other.merged
        delayed &+= other.delayed
        suppressed &+= other.suppressed
        dropped &+= other.dropped
        cut &+= other.cut
    }
}

/// Counts what has become of the events that matched a hook.
package struct HookCounters: Sendable, Hashable {
    /// Events that matched.
    package var matched: Int64 = 0
    /// Runs that have ended, those that could not be started among them.
    package var runs: Int64 = 0
    /// Runs that failed, whatever the reason.
    package var failures: Int64 = 0
    /// Runs that were killed at their timeout.
    package var timeouts: Int64 = 0
    /// Runs that could not be started.
    package var refused: Int64 = 0
    /// Events in whose place a newer one of their subject ran.
    package var merged: Int64 = 0
    /// Events that had to wait for the rate of their subject.
    package var delayed: Int64 = 0
    /// Events in whose place a newer one ran, since the rate of their subject was used up.
    package var suppressed: Int64 = 0
    /// Events that were lost since the queue was full.
    package var dropped: Int64 = 0
    /// Events that went back to the hook itself.
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

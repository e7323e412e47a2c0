internal import CleatAPI

/// The counters, the last run and the rate of each hook, by its name.
struct HookStatistics: Sendable {
    private var counters: [String: HookCounters] = [:]
    private var last: [String: HookRun] = [:]
    private var meters: [String: RateMeter] = [:]

    /// Counts an event that was offered to the queue; returns the counters of its hook.
    mutating func count(_ offer: HookQueue.Offer, of hook: String, now: Int64) -> HookCounters {
        counters[hook, default: HookCounters()].count(offer)
        if offer == .delayed || offer == .suppressed { meters[hook, default: RateMeter()].recordDelay(at: now) }
        return counters(of: hook)
    }

    /// Counts a run that has ended, and keeps it as the hook's last one.
    mutating func record(_ run: HookRun, of hook: String) {
        counters[hook, default: HookCounters()].count(run)
        var listed = run
        if run.output.utf8.count > HookLimits.listedOutputBytes {
            listed.output = String(decoding: run.output.utf8.prefix(HookLimits.listedOutputBytes), as: UTF8.self)
        }
        last[hook] = listed
    }

    /// Removes the hooks that are not among these.
    mutating func removeAll(except hooks: Set<String>) {
        counters = counters.filter { hooks.contains($0.key) }
        last = last.filter { hooks.contains($0.key) }
        meters = meters.filter { hooks.contains($0.key) }
    }

    /// Returns the counters of a hook.
    func counters(of hook: String) -> HookCounters { counters[hook] ?? HookCounters() }

    /// Returns the last run of a hook; nil if it has not run.
    func lastRun(of hook: String) -> HookRun? { last[hook] }

    /// Returns for how many milliseconds a hook has been at its rate limit; nil if it is not, or for a short time only.
    func timeAtLimit(of hook: String, now: Int64) -> Int64? { meters[hook]?.duration(at: now) }

    /// The counters of all hooks together.
    var sum: HookCounters {
        var sum = HookCounters()
        for counts in counters.values { sum.add(counts) }
        return sum
    }
}

/// The counters of the events that matched a hook.
package struct HookCounters: Sendable, Equatable {
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
    /// Events that did not fit into the queue; their subjects are delivered with their present states.
    package var deferred: Int64 = 0
    /// Events that were lost because even the names of their subjects did not fit.
    package var dropped: Int64 = 0
    /// Events that were caused by the hook itself, or by a chain of too many hooks.
    package var cut: Int64 = 0
    /// Events that came while the hook was paused; their subjects are delivered with their present states.
    package var paused: Int64 = 0

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
        case .deferred: deferred &+= 1
        case .dropped: dropped &+= 1
        case .cut: cut &+= 1
        case .paused: paused &+= 1
        }
    }

    mutating func count(_ run: HookRun) {
        runs &+= 1
        if run.isFailure { failures &+= 1 }
        switch run.status {
        case .timedOut: timeouts &+= 1
        case .refused: refused &+= 1
        case .exited, .signalled: break
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
        deferred &+= other.deferred
        dropped &+= other.dropped
        cut &+= other.cut
        paused &+= other.paused
    }
}

/// Measures for how long the events of a hook have exceeded its rate; times are in milliseconds.
struct RateMeter: Sendable {
    /// The time without a delayed event after which the measurement restarts.
    static let pause: Int64 = 10_000
    /// The shortest duration that is reported.
    static let limit: Int64 = 60_000

    private var times: (first: Int64, last: Int64)?

    /// Records that an event was delayed.
    mutating func recordDelay(at now: Int64) {
        guard let times, now - times.last <= Self.pause else {
            times = (now, now)
            return
        }
        self.times = (times.first, now)
    }

    /// Returns the duration so far; nil if the rate is not exceeded now, or has been for less than ``limit``.
    func duration(at now: Int64) -> Int64? {
        guard let times, now - times.last <= Self.pause, times.last - times.first >= Self.limit else { return nil }
        return times.last - times.first
    }
}

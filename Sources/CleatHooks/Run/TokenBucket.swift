/// Meters runs: so many at once, so many a second in the long run.
package struct TokenBucket: Sendable, Hashable {
    /// What is in the bucket, in thousandths of a run.
    private var level: Int64
    /// When the level was right, in milliseconds.
    private var updated: Int64

    /// Creates a full bucket.
    package init(pace: HookPace, now: Int64) {
        level = TokenBucket.capacity(pace)
        updated = now
    }

    private static func capacity(_ pace: HookPace) -> Int64 {
        min(max(pace.burst, 1), HookLimits.highestRate) * 1000
    }

    private static func rate(_ pace: HookPace) -> Int64 {
        min(max(pace.perSecond, 1), HookLimits.highestRate)
    }

    /// Adds what the time since the last call has brought.
    private mutating func refill(pace: HookPace, now: Int64) {
        let elapsed = min(max(now &- updated, 0), 1_000_000_000)
        level = min(level + elapsed * TokenBucket.rate(pace), TokenBucket.capacity(pace))
        updated = max(updated, now)
    }

    /// Takes one run.
    package mutating func take(pace: HookPace, now: Int64) {
        refill(pace: pace, now: now)
        level = max(level - 1000, 0)
    }

    /// Returns the instant at which the next run is allowed: now, or later.
    package mutating func nextRun(pace: HookPace, now: Int64) -> Int64 {
        refill(pace: pace, now: now)
        guard level < 1000 else { return now }
        let rate = TokenBucket.rate(pace)
        return now &+ (1000 - level + rate - 1) / rate
    }

    /// Tells whether the bucket is as good as a new one.
    package func isFull(pace: HookPace, now: Int64) -> Bool {
        var copy = self
        copy.refill(pace: pace, now: now)
        return copy.level == TokenBucket.capacity(pace)
    }
}

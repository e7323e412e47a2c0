/// A token bucket that limits runs to a burst, and to a rate per second in the long run.
package struct TokenBucket: Sendable, Equatable {
    /// The level of the bucket, in thousandths of a run.
    private var level: Int64
    /// The time at which the level was computed, in milliseconds.
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

    /// Adds the tokens for the time since the last call.
    private mutating func refill(pace: HookPace, now: Int64) {
        let elapsed = min(max(now &- updated, 0), 1_000_000_000)
        level = min(level + elapsed * TokenBucket.rate(pace), TokenBucket.capacity(pace))
        updated = max(updated, now)
    }

    /// Takes the token of one run.
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

    /// Returns true if the bucket is full, as a new one is.
    package func isFull(pace: HookPace, now: Int64) -> Bool {
        var copy = self
        copy.refill(pace: pace, now: now)
        return copy.level == TokenBucket.capacity(pace)
    }
}

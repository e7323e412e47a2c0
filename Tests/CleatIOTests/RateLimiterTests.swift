import CleatIO
import CleatTestSupport
import Testing

@Suite("rate limiter")
struct RateLimiterTests {
    private static let (burst, interval) = (5, Duration.seconds(2))
    private static var meter: RateLimiter { RateLimiter(burst: burst, interval: interval) }

    @Test("admits a burst, then one after each interval, and after a rest a burst again")
    func paced() {
        var meter = Self.meter
        let start = BootTime(milliseconds: 5_000)
        for _ in 0..<Self.burst { #expect(meter.admit(start) == nil) }
        #expect(meter.admit(start) == Self.interval)
        let half = start.advanced(by: Self.interval / 2)
        #expect(meter.admit(half) == Self.interval / 2)
        let later = start.advanced(by: Self.interval)
        #expect(meter.admit(later) == nil && meter.admit(later) == Self.interval)
        let rested = later.advanced(by: Self.interval * Self.burst)
        for _ in 0..<Self.burst { #expect(meter.admit(rested) == nil) }
        #expect(meter.admit(rested) != nil && !meter.isClear(rested))
        #expect(meter.isClear(rested.advanced(by: Self.interval * Self.burst)))
    }

    @Test("the admissions are bounded by the time", arguments: TestMachine.seeds(20, briefly: 5))
    func bounded(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var meter = Self.meter
        var now: Int64 = 0
        var admitted: Int64 = 0
        for _ in 0..<2_000 {
            now += Int64.random(in: 0...300, using: &random)
            if meter.admit(BootTime(milliseconds: now)) == nil { admitted += 1 }
        }
        let interval = Self.interval.milliseconds
        #expect(admitted <= Int64(Self.burst) + now / interval)
        #expect(admitted >= now / interval)
    }
}

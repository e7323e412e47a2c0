import CleatTestSupport
import Testing

@testable import CleatHooks

/// For how long a hook has been at its rate limit.
@Suite(.tags(.fault)) struct RateMeterTests {
    @Test func aMinuteWithoutAPauseIsReported() {
        var meter = RateMeter()
        #expect(meter.duration(at: 0) == nil)
        for now in stride(from: Int64(1_000), through: 60_000, by: 1_000) {
            meter.recordDelay(at: now)
            #expect(meter.duration(at: now) == nil)
        }
        meter.recordDelay(at: 61_000)
        #expect(meter.duration(at: 61_000) == 60_000)
        #expect(meter.duration(at: 71_000) == 60_000)
        // It is over.
        #expect(meter.duration(at: 71_001) == nil)
    }

    @Test func aPauseStartsAgain() {
        var meter = RateMeter()
        for now: Int64 in [0, 9_000, 19_001, 29_001, 39_001, 49_001, 59_001, 69_001, 79_000] {
            meter.recordDelay(at: now)
        }
        #expect(meter.duration(at: 79_000) == nil)
        meter.recordDelay(at: 79_001)
        #expect(meter.duration(at: 79_001) == 60_000)
    }
}

import CleatIO
import CleatTestSupport
import Testing

@testable import CleatAgent

/// Tests of the limit for configuring an interface that appears again and again.
@Suite("The meter of interfaces that come and go")
struct ArrivalMeterTests {
    @Test("A few at once, then one after each interval, and after a rest a few again")
    func paced() {
        var meter = ArrivalMeter()
        let start = BootTime(milliseconds: 5_000)
        for _ in 0..<ArrivalMeter.burst { #expect(meter.admit(start) == nil) }
        #expect(meter.admit(start) == ArrivalMeter.interval)
        let half = start.advanced(by: ArrivalMeter.interval / 2)
        #expect(meter.admit(half) == ArrivalMeter.interval / 2)
        let later = start.advanced(by: ArrivalMeter.interval)
        #expect(meter.admit(later) == nil && meter.admit(later) == ArrivalMeter.interval)
        let rested = later.advanced(by: ArrivalMeter.interval * ArrivalMeter.burst)
        for _ in 0..<ArrivalMeter.burst { #expect(meter.admit(rested) == nil) }
        #expect(meter.admit(rested) != nil)
    }

    @Test("Whatever comes, the work is bounded by the time", arguments: TestMachine.seeds(20, briefly: 5))
    func bounded(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var meter = ArrivalMeter()
        var now: Int64 = 0
        var admitted: Int64 = 0
        for _ in 0..<2_000 {
            now += Int64.random(in: 0...300, using: &random)
            if meter.admit(BootTime(milliseconds: now)) == nil { admitted += 1 }
        }
        let interval = ArrivalMeter.interval.milliseconds
        #expect(admitted <= Int64(ArrivalMeter.burst) + now / interval)
        #expect(admitted >= now / interval)
    }
}

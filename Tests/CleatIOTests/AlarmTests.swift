import CleatTestSupport
import Testing

@testable import CleatIO

@Suite("alarms")
struct AlarmTests {
    @Test("a wait ends at its instant")
    func instant() async throws {
        try await withLoop { loop in
            let start = BootTime.now()
            try await Alarm(loop: loop).wait(until: start.advanced(by: .milliseconds(30)))
            #expect(BootTime.now().duration(since: start) >= .milliseconds(30))
        }
    }

    @Test("a ring ends the wait, however far its instant is, and leaves no timer")
    func rung() async throws {
        try await withLoop { loop in
            let alarm = Alarm(loop: loop)
            for deadline in [nil, BootTime.now().advanced(by: .seconds(3_600))] {
                let waiting = loop.task { try await alarm.wait(until: deadline) }
                await loop.yield()
                alarm.ring()
                try await waiting.value
            }
            #expect(loop.pendingTimers == 0)
        }
    }

    @Test("a ring while no task waits ends the next wait, and several count as one")
    func early() async throws {
        try await withLoop { loop in
            let alarm = Alarm(loop: loop)
            alarm.ring()
            alarm.ring()
            try await alarm.wait()
            let waiting = loop.task { try await alarm.wait() }
            await loop.yield()
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
        }
    }

    @Test("a wait that is cancelled takes no ring away from the next one")
    func cancelled() async throws {
        try await withLoop { loop in
            let alarm = Alarm(loop: loop)
            let waiting = loop.task { try await alarm.wait() }
            await loop.yield()
            waiting.cancel()
            await #expect(throws: CancellationError.self) { try await waiting.value }
            alarm.ring()
            try await alarm.wait()
        }
    }
}

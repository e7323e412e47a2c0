import CleatIO
import CleatTestSupport
import Synchronization
import Testing

@testable import CleatAgent

@Suite("The release of the program's pages", .tags(.board))
struct ProgramPagesTests {
    @Test("One timer is set, and pages are released after its whole time without work", arguments: 1...20)
    func phases(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var phase = ProgramPages.Phase.released
        var now = BootTime(nanoseconds: 0)
        var (timer, last): (BootTime?, BootTime) = (nil, now)
        var released = 0
        for _ in 0..<TestMachine.rounds(1_000, briefly: 100) {
            let step = now.advanced(by: .milliseconds(Int.random(in: 0...2_500, using: &random)))
            if let due = timer, due <= step {
                now = due
                timer = phase.timerFired(at: now, quiet: .seconds(2))
                let isQuiet = now.duration(since: last) == .seconds(2)
                #expect(isQuiet ? timer == nil : timer == last.advanced(by: .seconds(2)), "seed \(seed)")
                #expect(isQuiet == (phase == .released))
                released += isQuiet ? 1 : 0
            } else {
                now = step
                last = now
                let sets = phase.work(at: now)
                #expect(sets == (timer == nil), "one timer for all work since the last release, seed \(seed)")
                if sets { timer = now.advanced(by: .seconds(2)) }
            }
        }
        #expect(released > 1)
    }

    @Test("Each burst of work is followed by one release, and then no timer waits")
    func bursts() async throws {
        try await withLoop { loop async throws in
            let (releases, told) = AsyncStream<Int>.makeStream()
            let count = Mutex(0)
            let pages = ProgramPages(on: loop, quiet: .milliseconds(500)) {
                told.yield(
                    count.withLock {
                        $0 += 1; return $0
                    })
            }
            #expect(loop.pendingTimers == 0)
            var released = releases.makeAsyncIterator()
            for burst in 1...3 {
                for _ in 0..<100 { pages.touched() }
                await loop.yield()
                #expect(loop.pendingTimers == 1)
                #expect(await released.next() == burst)
                await loop.yield()
                #expect(loop.pendingTimers == 0)
            }
            #expect(count.withLock { $0 } == 3)
        }
    }
}

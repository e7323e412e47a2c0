import CleatIO
import CleatTestSupport
import Testing

@testable import CleatVarlink

@Suite struct BudgetQueueTests {
    private func at(_ seconds: Int64) -> BootTime { BootTime(milliseconds: seconds * 1000) }
    private func queue(capacity: Int = 2) -> BudgetQueue {
        BudgetQueue(capacity: capacity, share: 100, patience: .seconds(30))
    }

    @Test func spaceIsGivenInOrder() {
        var queue = queue()
        #expect((1...5).map { queue.claim($0, now: at(0)) } == [true, true, false, false, false])
        #expect(queue.held == 2 && queue.queued == 3)
        #expect(queue.release(2, now: at(1)) == [3])
        #expect(queue.holds(3) && !queue.holds(2))
        // A waiter that is cancelled leaves the others in order.
        #expect(queue.release(4, now: at(1)) == [])
        #expect(queue.release(1, now: at(2)) == [5])
        #expect(queue.release(1, now: at(2)) == [])
        for ticket in [3, 5] as [UInt64] { #expect(queue.release(ticket, now: at(2)) == []) }
        #expect(queue.held == 0 && queue.queued == 0)
        #expect(queue.claim(6, now: at(3)) == true)
    }

    @Test func withoutWaitersNoneIsLate() {
        var queue = queue()
        _ = queue.claim(1, now: at(0))
        #expect(queue.deadline == nil)
        #expect(queue.expired(now: at(100_000)) == [])
        // Its time begins when another one waits.
        _ = queue.claim(2, now: at(1000))
        _ = queue.claim(3, now: at(1010))
        #expect(queue.deadline == at(1040))
        #expect(queue.expired(now: at(1039)) == [])
        #expect(queue.expired(now: at(1040)).sorted() == [1, 2])
        // Each is named once, and holds until it is released.
        #expect(queue.expired(now: at(9000)) == [])
        #expect(queue.deadline == nil)
        #expect(queue.release(1, now: at(9000)) == [3])
        #expect(queue.deadline == nil)
    }

    @Test func whoSendsItsShareMayGoOn() {
        var queue = queue(capacity: 1)
        _ = queue.claim(1, now: at(0))
        _ = queue.claim(2, now: at(0))
        for second in stride(from: Int64(20), through: 200, by: 20) {
            #expect(queue.expired(now: at(second)) == [])
            queue.progress(1, 100, now: at(second))
        }
        #expect(queue.deadline == at(230))
        // A byte now and then is not a share.
        for second in stride(from: Int64(201), through: 229, by: 1) { queue.progress(1, 3, now: at(second)) }
        #expect(queue.expired(now: at(230)) == [1])
    }

    @Test func aWholeMessageIsNotLate() {
        var queue = queue(capacity: 1)
        _ = queue.claim(1, now: at(0))
        _ = queue.claim(2, now: at(0))
        queue.assembled(1)
        #expect(queue.deadline == nil)
        #expect(queue.expired(now: at(1000)) == [])
        #expect(queue.release(1, now: at(1000)) == [2])
        #expect(queue.deadline == nil)
        // The time of the next one starts when it has got space.
        _ = queue.claim(3, now: at(1001))
        #expect(queue.deadline == at(1031))
    }

    @Test(arguments: [1, 2, 3, 4, 5] as [UInt64]) func noWaiterIsForgotten(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var queue = queue(capacity: 3)
        var live: Set<UInt64> = []
        var waiting: [UInt64] = []
        var next: UInt64 = 0
        for step in 0..<TestMachine.rounds(5000, briefly: 1000) {
            if Bool.random(using: &generator) {
                next += 1
                live.insert(next)
                if !queue.claim(next, now: at(Int64(step))) { waiting.append(next) }
            } else if let gone = live.sorted().randomElement(using: &generator) {
                live.remove(gone)
                waiting.removeAll { $0 == gone }
                let granted = queue.release(gone, now: at(Int64(step)))
                #expect(granted == Array(waiting.prefix(granted.count)))
                waiting.removeFirst(granted.count)
            }
            #expect(queue.queued == waiting.count)
            #expect(queue.held == min(3, live.count))
            #expect(queue.held + queue.queued == live.count)
        }
    }
}

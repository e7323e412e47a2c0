import CleatTestSupport
import Testing

@testable import CleatIO

@Suite(.tags(.board)) struct TimerTests {
    /// Random adding, cancelling and taking give the same as a sorted list does.
    @Test(arguments: [1, 2, 3, 4, 5]) func queueAgreesWithAList(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var queue = TimerQueue<Int>()
        var model: [(deadline: Int64, order: Int, token: TimerToken)] = []
        var spent: [TimerToken] = []
        for order in 0..<TestMachine.rounds(5000, briefly: 1000) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<5:
                let deadline = Int64.random(in: 0..<50, using: &random)
                model.append((deadline, order, queue.add(deadline: deadline, order)))
            case 5..<8:
                guard let index = model.indices.randomElement(using: &random) else { continue }
                let removed = model.remove(at: index)
                #expect(queue.cancel(removed.token) == removed.order)
                spent.append(removed.token)
            case 8:
                if let token = spent.randomElement(using: &random) { #expect(queue.cancel(token) == nil) }
            default:
                let now = Int64.random(in: 0..<60, using: &random)
                let expected = model.enumerated().filter { $0.element.deadline <= now }
                    .min { ($0.element.deadline, $0.element.order) < ($1.element.deadline, $1.element.order) }
                #expect(queue.popFirst(dueBy: now) == expected?.element.order)
                if let expected { spent.append(model.remove(at: expected.offset).token) }
            }
            #expect(queue.count == model.count)
            #expect(queue.first == model.map(\.deadline).min())
        }
    }

    @Test func sleepersWakeInOrder() async throws {
        try await withLoop { loop async throws in
            let start = BootTime.now()
            let order = try await withThrowingTaskGroup(of: Int.self) { group in
                for index in [3, 1, 2, 0] {
                    group.addTask {
                        try await loop.sleep(until: start.advanced(by: .milliseconds(5 + 15 * index)))
                        return index
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(order == [0, 1, 2, 3])
            #expect(BootTime.now() >= start.advanced(by: .milliseconds(50)))
            #expect(loop.pendingTimers == 0)
        }
    }

    @Test func cancellationEndsASleep() async throws {
        try await withLoop { loop async throws in
            let sleeper = loop.task { try await loop.sleep(for: .seconds(3600)) }
            #expect(try await loop.eventually { loop.pendingTimers == 1 })
            sleeper.cancel()
            let result = await sleeper.result
            #expect(throws: CancellationError.self) { try result.get() }
            #expect(loop.pendingTimers == 0)
            let early = loop.task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                try await loop.sleep(for: .seconds(3600))
            }
            let second = await early.result
            #expect(throws: CancellationError.self) { try second.get() }
        }
    }

    @Test func aSleepFromAnotherThreadWakesTheLoop() async throws {
        try await withLoop { loop async throws in
            let other = ThreadExecutor(name: "other")
            let task = Task(executorPreference: other) {
                try await loop.sleep(for: .milliseconds(5))
                return other.isCurrent
            }
            #expect(try await task.value)
            other.shutdown()
        }
    }

    @Test func deadlines() async throws {
        try await withLoop { loop async throws in
            #expect(try await loop.withDeadline(.seconds(10).onThisMachine) { 7 } == 7)
            #expect(loop.pendingTimers == 0)
            await #expect(throws: DeadlineExceeded.self) {
                try await loop.withDeadline(.milliseconds(10)) { try await loop.sleep(for: .seconds(3600)) }
            }
            await #expect(throws: SocketError.self) {
                try await loop.withDeadline(.seconds(10).onThisMachine) { throw SocketError(.denied, path: "x") }
            }
            let outer = loop.task {
                try await loop.withDeadline(.seconds(3600)) { try await loop.sleep(for: .seconds(3600)) }
            }
            #expect(try await loop.eventually { loop.pendingTimers == 2 })
            outer.cancel()
            let result = await outer.result
            #expect(throws: CancellationError.self) { try result.get() }
            #expect(loop.pendingTimers == 0)
        }
    }

    @Test func farAndPastDeadlinesDoNotTrap() async throws {
        try await withLoop { loop async throws in
            try await loop.sleep(until: BootTime(nanoseconds: .min))
            try await loop.sleep(for: .seconds(-5))
            #expect(BootTime.now().advanced(by: .seconds(Int64.max)) == BootTime(nanoseconds: .max))
            let task = loop.task { try await loop.sleep(for: .seconds(Int64.max)) }
            #expect(try await loop.eventually { loop.pendingTimers == 1 })
            task.cancel()
            _ = await task.result
        }
    }
}

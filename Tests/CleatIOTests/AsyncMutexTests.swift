import CleatIO
import CleatTestSupport
import Synchronization
import Testing

@Suite struct AsyncMutexTests {
    private final class Record: Sendable {
        let steps = Mutex<[Int]>([])
        func add(_ step: Int) { steps.withLock { $0.append(step) } }
    }

    @Test("Scopes run one at a time, in the order of arrival, also if they suspend")
    func order() async throws {
        try await withLoop { loop in
            let mutex = AsyncMutex()
            let record = Record()
            let tasks = (0..<20).map { number in
                loop.task {
                    await mutex.withLock {
                        record.add(number)
                        await loop.yield()
                        await loop.yield()
                        record.add(number)
                    }
                }
            }
            for task in tasks { await task.value }
            #expect(record.steps.withLock { $0 } == (0..<20).flatMap { [$0, $0] })
            #expect(!mutex.isHeld)
        }
    }

    @Test("A scope that throws releases the mutex, and a cancelled task keeps its turn")
    func errors() async throws {
        struct Failure: Error {}
        try await withLoop { loop in
            let mutex = AsyncMutex()
            await #expect(throws: Failure.self) { try await mutex.withLock { throw Failure() } }
            #expect(!mutex.isHeld)
            let record = Record()
            await mutex.withLock {
                #expect(mutex.isHeld)
                let waiting = loop.task { await mutex.withLock { record.add(Task.isCancelled ? 1 : 0) } }
                await loop.yield()
                waiting.cancel()
                await loop.yield()
                #expect(record.steps.withLock { $0.isEmpty })
            }
            let hasRun = try await loop.eventually { record.steps.withLock { $0 == [1] } }
            #expect(hasRun)
        }
    }
}

import CleatIO
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

actor Clerk {
    nonisolated let executor: ThreadExecutor
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }
    private var count = 0

    init(executor: ThreadExecutor) { self.executor = executor }

    func work() -> (onThread: Bool, count: Int) {
        count += 1
        return (executor.isCurrent, count)
    }

    /// Needs more stack than musl gives a thread by itself.
    func recurse(_ depth: Int) -> Int {
        unsafe withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 16) { buffer in
            unsafe buffer[0] = 1
            return depth == 0 ? Int(unsafe buffer[0]) : recurse(depth - 1)
        }
    }
}

/// The threads of this process with their voluntary context switches.
private func switches() throws -> [Int: Int] {
    var found: [Int: Int] = [:]
    let directory = "/proc/self/task"
    for name in try names(in: directory) {
        guard let id = Int(name), let status = try? contents(of: FilePath("\(directory)/\(name)/status")) else {
            continue
        }
        let line = status.split(separator: "\n").first { $0.hasPrefix("voluntary_ctxt_switches") }
        found[id] = line.flatMap { Int($0.filter(\.isNumber)) }
    }
    return found
}

@Suite(.tags(.board)) struct ThreadTests {
    @Test func blockingWorkLeavesTheLoopAndReturns() async throws {
        try await withLoop { loop async throws in
            let executor = ThreadExecutor(name: "store")
            #expect(!executor.isRunning)
            let clerk = Clerk(executor: executor)
            for index in 1...100 {
                let (onThread, count) = await clerk.work()
                #expect(onThread)
                #expect(count == index)
                #expect(loop.isCurrent)
            }
            #expect(await clerk.recurse(400) == 1)
            executor.shutdown()
            #expect(!executor.isRunning)
            // Nothing is lost afterwards: the thread is started again.
            #expect(await clerk.work().count == 101)
            executor.shutdown()
            executor.shutdown()
        }
    }

    @Test func idleThreadEnds() async throws {
        try await withLoop { loop async throws in
            let executor = ThreadExecutor(name: "worker", idleExit: .milliseconds(20))
            let clerk = Clerk(executor: executor)
            for round in 1...3 {
                #expect(await clerk.work().count == round)
                #expect(try await loop.eventually { !executor.isRunning })
            }
        }
    }

    @Test func manyThreadsHandInWork() async throws {
        try await withLoop { loop async throws in
            let echo = Echo(loop: loop)
            let executors = (0..<4).map { ThreadExecutor(name: "hand-\($0)") }
            let tasks = executors.map { executor in
                Task(executorPreference: executor) {
                    for index in 0..<500 { _ = await echo.answer([UInt8(truncatingIfNeeded: index)]) }
                }
            }
            for task in tasks { await task.value }
            #expect(await echo.served == 2000)
            for executor in executors { executor.shutdown() }
        }
    }

    /// In a process of its own, since other tests have threads too.
    @Test func servingAndSpawningUseOneThread() async {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                try await withLoop { loop async throws in
                    let echo = Echo(loop: loop)
                    let (left, right) = try ByteStream.pair(loop: loop)
                    loop.task { try await echo.serve(right) }
                    try await left.write([1])
                    _ = try await left.read()

                    let before = try switches()
                    for _ in 0..<1000 {
                        try await left.write([1])
                        _ = try await left.read()
                        _ = await echo.answer([1])
                    }
                    let served = try switches()
                    // No new thread; those of the test runner's pool may end in the meantime.
                    #expect(Set(served.keys).isSubset(of: before.keys))
                    // Thousands of switches would show a hop; the test runner's own threads may stir now and then.
                    let moved = served.map { $0.value - (before[$0.key] ?? 0) }.reduce(0, +)
                    #expect(moved < 100)

                    for _ in 0..<TestMachine.rounds(1000, briefly: 200) {
                        #expect(try await loop.run(ChildCommand("/bin/true")).isSuccess)
                    }
                    #expect(Set(try switches().keys).isSubset(of: before.keys))
                    #expect(try #require(ProcessMemory.threads) <= before.count)
                }
            }
        }
    }

    /// An idle loop blocks in one wait without a time limit: no wake-ups while a timer is pending.
    @Test func idleMeansNoWakeUps() async {
        await #expect(processExitsWith: .success) {
            try await endingWithIssues {
                let loop = try EventLoop()
                let thread = ThreadExecutor(name: "idle")
                let running = Task(executorPreference: thread) {
                    loop.task { try await loop.sleep(for: .seconds(3600)) }
                    loop.run()
                }
                let id = try await Task(executorPreference: loop) { try ownThread() }.value
                let process = IdleProcess()
                #expect(
                    try await eventually {
                        // The test's own pauses are timers of this process, too.
                        try loop.pendingTimers == 1 && process.waitsWithoutLimit(thread: "\(id)")
                            && process.timers.contains { $0 > 3000 }
                    })
                let before = try switches()[id]
                // Other threads work meanwhile; a loop that polls would be seen.
                try await withLoop { other async throws in
                    for _ in 0..<20 { #expect(try await other.run(ChildCommand("/bin/true")).isSuccess) }
                }
                #expect(try switches()[id] == before)
                loop.stop()
                await running.value
                thread.shutdown()
            }
        }
    }
}

/// The number of the calling thread.
private func ownThread() throws -> Int {
    let status = try contents(of: "/proc/thread-self/status")
    let line = status.split(separator: "\n").first { $0.hasPrefix("Pid:") }
    return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
}

import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import CleatIO

/// The names of this process's threads.
private func threadNames() throws -> [String] {
    try names(in: "/proc/self/task").compactMap { id in
        (try? contents(of: FilePath("/proc/self/task/\(id)/comm"))).map { String($0.filter { $0 != "\n" }) }
    }
}

/// Holds a thread until it is opened.
private struct Latch: Sendable {
    private let ends: (readEnd: FileDescriptor, writeEnd: FileDescriptor)

    init() throws { ends = try FileDescriptor.pipe() }

    func pass() throws {
        var byte: UInt8 = 0
        _ = try unsafe withUnsafeMutableBytes(of: &byte) { try unsafe ends.readEnd.read(into: $0) }
    }

    func open() throws { try ends.writeEnd.writeAll([1]) }

    func close() throws {
        try ends.readEnd.close()
        try ends.writeEnd.close()
    }
}

/// A value that slices and tasks share.
private final class Shared<Value: Sendable>: Sendable {
    private let guarded: Mutex<Value>
    init(_ value: Value) { guarded = Mutex(value) }
    var value: Value { guarded.withLock { $0 } }
    @discardableResult
    func update<T: Sendable>(_ change: (inout Value) -> T) -> T {
        guarded.withLock { value in
            var copy = value
            defer { value = copy }
            return change(&copy)
        }
    }
}

private struct SliceError: Error, Equatable { var number: Int }

@Suite(.tags(.board)) struct WorkerTests {
    @Test func slicesLeaveTheLoopAndResultsComeBack() async throws {
        try await withLoop { loop in
            let worker = Worker(name: "leave")
            #expect(!worker.isRunning)
            for number in 0..<100 {
                let (value, onLoop) = try await worker.run { (number, loop.isCurrent) }
                #expect(value == number)
                #expect(!onLoop)
                #expect(loop.isCurrent)
            }
            worker.shutdown()
            #expect(!worker.isRunning)
        }
    }

    @Test func slicesRunInTheOrderOfTheirArrival() async throws {
        try await withLoop { loop async throws in
            let worker = Worker(name: "order")
            let latch = try Latch()
            let first = loop.task { try await worker.run { try latch.pass() } }
            let came = Shared<[Int]>([])
            let ran = Shared<[Int]>([])
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        came.update { $0.append(number) }
                        try await worker.run { ran.update { $0.append(number) } }
                    }
                }
                // None can run before the latch opens, so all two hundred wait in the queue.
                while came.value.count < 200 { await loop.yield() }
                #expect(ran.value.isEmpty)
                try latch.open()
                try await group.waitForAll()
            }
            try await first.value
            #expect(ran.value == came.value)
            worker.shutdown()
            try latch.close()
        }
    }

    @Test func aThousandSlicesOfManyTasksRunOneAtATime() async throws {
        try await withLoop { loop async throws in
            let worker = Worker(name: "thousand")
            let inside = Shared<Int>(0)
            let most = Shared(0)
            let sum = try await withThrowingTaskGroup(of: Int.self) { group in
                for task in 0..<50 {
                    group.addTask {
                        var sum = 0
                        for number in 0..<20 {
                            sum += try await worker.run {
                                let now = inside.update { value in
                                    value += 1
                                    return value
                                }
                                most.update { $0 = max($0, now) }
                                inside.update { $0 -= 1 }
                                return task * 20 + number
                            }
                        }
                        return sum
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(sum == (0..<1000).reduce(0, +))
            #expect(most.value == 1)
            worker.shutdown()
        }
    }

    @Test func errorsTravelAsTheyAre() async throws {
        try await withLoop { _ in
            let worker = Worker(name: "errors")
            for number in 0..<10 {
                await #expect(throws: SliceError(number: number)) {
                    try await worker.run { throw SliceError(number: number) }
                }
            }
            // One that failed takes nothing with it.
            let value = try await worker.run { 7 }
            #expect(value == 7)
            worker.shutdown()
        }
    }

    @Test func theThreadEndsWhenNothingComesAndIsMadeAgain() async throws {
        try await withLoop { loop async throws in
            let worker = Worker(name: "idle-end", idleExit: .milliseconds(20))
            #expect(try !threadNames().contains("idle-end"))
            for round in 0..<3 {
                let names = try await worker.run { try threadNames() }
                #expect(names.filter { $0 == "idle-end" }.count == 1, "round \(round)")
                #expect(try await loop.eventually { try !threadNames().contains("idle-end") })
                #expect(!worker.isRunning)
            }
        }
    }

    /// The thread ends as soon as it is idle, so nearly each slice meets an end.
    @Test func aSliceThatMeetsTheEndOfTheThreadRuns() async throws {
        try await withLoop { loop async throws in
            let worker = Worker(name: "race", idleExit: .zero)
            let total = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<4 {
                    group.addTask {
                        var count = 0
                        for number in 0..<200 {
                            count += try await worker.run { 1 }
                            for _ in 0..<(number % 4) { await loop.yield() }
                        }
                        return count
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(total == 800)
            #expect(try await loop.eventually { try !threadNames().contains("race") })
        }
    }

    @Test func noMemoryForAThreadIsAnError() async throws {
        try await withLoop { _ in
            let failing = Shared<Bool>(true)
            let executor = ThreadExecutor(name: "no-room", idleExit: .seconds(10)) { name, body throws(Errno) in
                if failing.value { throw .resourceTemporarilyUnavailable }
                return try Thread(name: name, body)
            }
            let worker = Worker(executor: executor)
            let error = await #expect(throws: WorkerError.self) { try await worker.run { 1 } }
            #expect(error?.underlying == .resourceTemporarilyUnavailable)
            #expect(!worker.isRunning)
            failing.update { $0 = false }
            let value = try await worker.run { 2 }
            #expect(value == 2)
            worker.shutdown()
        }
    }

    @Test func cancelledSlicesAreLeftOut() async throws {
        try await withLoop { loop async throws in
            let worker = Worker(name: "cancel")
            let latch = try Latch()
            let begun = Shared<Bool>(false)
            let ran = Shared<Int>(0)
            let first = loop.task {
                try await worker.run {
                    begun.update { $0 = true }
                    try latch.pass()
                    return 1
                }
            }
            let queued = Shared<Int>(0)
            let others = (0..<20).map { _ in
                loop.task {
                    queued.update { $0 += 1 }
                    try await worker.run { ran.update { $0 += 1 } }
                }
            }
            #expect(
                try await loop.eventually {
                    begun.value
                        && queued.value == 20
                })
            first.cancel()
            for task in others.prefix(15) { task.cancel() }
            try latch.open()
            // A started operation runs to its end and returns its result.
            #expect(try await first.value == 1)
            for task in others.prefix(15) {
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            for task in others.suffix(5) { try await task.value }
            #expect(ran.value == 5)

            // One that comes cancelled does not even start a thread.
            worker.shutdown()
            let late = loop.task {
                unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
                try await worker.run { ran.update { $0 += 1 } }
            }
            await #expect(throws: CancellationError.self) { try await late.value }
            #expect(!worker.isRunning)
            try latch.close()
        }
    }

    @Test func theEndWaitsForWhatIsQueued() async throws {
        try await withLoop { loop async throws in
            let worker = Worker(name: "end")
            let latch = try Latch()
            let told = Shared<[String]>([])
            let slices = (0..<3).map { number in
                loop.task {
                    try await worker.run {
                        if number == 0 { try latch.pass() }
                        told.update { $0.append("slice \(number)") }
                    }
                }
            }
            let other = ThreadExecutor(name: "ends")
            #expect(try await loop.eventually { worker.isRunning })
            // The three are queued: tasks of the loop start in order, and this one comes behind them.
            await loop.yield()
            let end = Task(executorPreference: other) {
                worker.shutdown()
                told.update { $0.append("ended") }
            }
            try latch.open()
            await end.value
            for slice in slices { try await slice.value }
            #expect(told.value == ["slice 0", "slice 1", "slice 2", "ended"])
            #expect(!worker.isRunning)
            let late = try await worker.run { 1 }
            #expect(late == 1)
            worker.shutdown()
            other.shutdown()
            try latch.close()
        }
    }
}

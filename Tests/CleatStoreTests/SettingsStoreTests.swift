import CleatIO
import CleatJSON
import CleatSettings
import CleatStore
import CleatTestSupport
import SystemPackage
import Testing

@Suite(.tags(.board)) final class SettingsStoreTests {
    let directory: TemporaryDirectory
    let executor = ThreadExecutor(name: "store")

    init() throws { directory = try TemporaryDirectory() }

    deinit { executor.shutdown() }

    @Test func theStoreWorksOnItsOwnThread() async throws {
        #expect(!executor.isRunning)
        let store = try await SettingsStore.open(directory: directory.path, executor: executor, stamp: stamp)
        #expect(executor.isRunning)
        #expect(await store.opening.isNew)
        let outcome = try await store.commit(try request("one", [("a", 1)]))
        let reference = try await store.snapshot().generation
        #expect(outcome == .committed(reference, [StoredChange(path: try SettingPath("a"), old: nil, new: 1)]))
        #expect(try await store.generations(before: nil, limit: 10).map(\.id) == ["one"])
        #expect(try await store.record(id: "one")?.number == 1)
        #expect(try await store.record(number: 1)?.id == "one")
        #expect(try await store.differences(from: 0, to: 1).count == 1)
        #expect(store.statistics?.commits == 1)
        #expect(await store.copyDelay(bootID: "boot-a", bootTime: 0) == 0)
        #expect(try await store.writeCopyIfDue(stamp))
        #expect(await store.copyDelay(bootID: "boot-a", bootTime: 0) == nil)
        try await store.close(stamp)
        try await store.close(stamp)
        await #expect(throws: StoreError.self) { try await store.snapshot() }
        let again = try await SettingsStore.open(directory: directory.path, executor: executor, stamp: stamp)
        #expect(try await again.snapshot().settings.count == 1)
    }

    @Test func trialsAreMadeAndEndedOnTheStoresThread() async throws {
        let store = try await SettingsStore.open(directory: directory.path, executor: executor, stamp: stamp)
        let armed = try await store.arm(
            try request("one", [("a", 1)]),
            TrialRequest(window: 1000, mementos: [memento("r")], origins: [memento("r"), memento("s")]))
        guard case .pending(let pending, _) = armed else { throw Unexpected(what: "\(armed)") }
        #expect(pending.generation == 1)
        #expect(try await store.snapshot().generation.generation == 0)
        try await store.awaitConfirm(deadline: deadline(1000))
        try await store.extend(to: deadline(2000))
        let trial = try #require(try await store.trial())
        #expect(trial.phase == .awaitingConfirm && trial.deadline == deadline(2000))
        await #expect(throws: StoreError.self) { try await store.commit(try request("two", [("a", 2)])) }
        let confirmed = try await store.confirm(id: "one", forgetting: ["r"])
        #expect(confirmed == .confirmed(pending, [StoredChange(path: try SettingPath("a"), old: nil, new: 1)]))
        #expect(try await store.origins().map(\.resource) == ["s"])
        #expect(try await store.origin(of: "s") == memento("s"))
        #expect(store.statistics?.commits == 4)
        _ = try await store.arm(try request("two", [("a", 2)]), TrialRequest())
        try await store.markRevertFailed("no")
        #expect(try await store.trial()?.failures == "no")
        let undone = try await store.revert(id: "two", stamp: stamp, reason: "tested")
        let present = try await store.snapshot()
        #expect(
            undone == .reverted(present.generation, [StoredChange(path: try SettingPath("a"), old: 2, new: 1)]))
        #expect(present.settings.map(\.value) == [1])
        try await store.close(stamp)
    }

    @Test func writersWithAnExpectedStateDoNotLoseEachOthersChanges() async throws {
        let store = try await SettingsStore.open(directory: directory.path, executor: executor, stamp: stamp)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<8 {
                group.addTask {
                    for turn in 0..<10 {
                        while true {
                            let state = try await store.snapshot()
                            let value = state.settings.first?.value.integerValue ?? 0
                            do throws(StoreError) {
                                _ = try await store.commit(
                                    try Self.increment(value, "w\(writer)-\(turn)", state.generation))
                                break
                            } catch {
                                guard error.code == .conflict else { throw error }
                            }
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.snapshot().settings.map(\.value) == [80])
        #expect(try await store.snapshot().generation.generation == 80)
    }

    private static func increment(
        _ value: Int64, _ id: String, _ expect: GenerationRef
    ) throws(StoreError) -> CommitRequest {
        let path = try? SettingPath("counter")
        return CommitRequest(
            changes: path.map { [StoredChange(path: $0, old: nil, new: .integer(value + 1))] } ?? [], id: id, hash: id,
            expect: expect, author: "tester", stamp: stamp)
    }

    @Test func loweredLimitsAreKeptAtOnce() async throws {
        let store = try await SettingsStore.open(directory: directory.path, executor: executor, stamp: stamp)
        for index in 0..<60 as Range<Int64> {
            _ = try await store.commit(try request("r\(index)", [("a", .integer(index))]))
        }
        try await store.setLimits(StoreLimits(generations: 8))
        #expect(try #require(store.statistics).generations <= 8)
    }

    @Test func anObstacleIsReported() async throws {
        try directory.write("x", to: "file")
        let path = directory.path.appending("file")
        let executor = executor
        let error = await #expect(throws: StoreError.self) {
            _ = try await SettingsStore.open(directory: path, executor: executor, stamp: stamp)
        }
        #expect(error?.code == .invalidDirectory)
    }
}

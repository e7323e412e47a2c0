import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
import CleatStore
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import CleatAgent

/// Tests of a change on trial if the store accepts no more writes, or the revert is late.
@Suite struct BrokenStoreTests {
    /// An engine whose system is a directory, and whose store can be made to fail.
    private final class Bench: Sendable {
        let directory: TemporaryDirectory
        let engine: SettingsEngine
        let store: SettingsStore
        private let fails: Failing
        private let ahead = Ahead()

        private final class Failing: Sendable {
            let now = Atomic(false)
        }

        /// The time that the engine's clock is ahead of the board's.
        private final class Ahead: Sendable {
            let duration = Mutex(Duration.zero)
        }

        init(_ loop: EventLoop, _ worker: Worker) async throws {
            directory = try TemporaryDirectory()
            try directory.makeDirectory("root")
            try directory.makeDirectory("root/etc")
            try directory.write("factory\n", to: "root/etc/hostname")
            let fails = Failing()
            self.fails = fails
            store = try await SettingsStore.open(
                directory: directory.path, executor: ThreadExecutor(name: "store")
            ) { operation in
                let isRead = operation.kind == .read || operation.kind == .open
                return fails.now.load(ordering: .relaxed) && !isRead ? .fail(.inputOutput) : .proceed
            }
            engine = SettingsEngine(
                loop: loop, store: (store, await store.opening), state: try await store.snapshot(),
                sources: SettingsSources(schema: .builtIn),
                volatile: (VolatileFile(directory: directory.path, bootID: "boot", worker: worker), VolatileState()),
                applier: SystemApplier(
                    of: try SystemResources(root: directory.path.appending("root")), rules: [], loop: loop,
                    worker: worker),
                prober: ProbeRunner(loop: loop, probes: ProbeSet(), socket: "/nowhere"),
                bus: EventBus(bootID: "boot"),
                now: { [ahead] in BootTime.now().advanced(by: ahead.duration.withLock { $0 }) }
            ) { _ in }
        }

        /// The name in the system.
        var name: String { get throws { try directory.read("root/etc/hostname") } }

        func advance(by duration: Duration) { ahead.duration.withLock { $0 += duration } }

        func fail(_ isSo: Bool) { fails.now.store(isSo, ordering: .relaxed) }

        func tryName(_ name: String, for window: Int64) async throws {
            _ = try await engine.set(
                .init(changes: [.init(path: "system/hostname", value: .string(name))], id: "t", confirm: window),
                author: Author(name: "a", isPrivileged: true), cause: nil)
            #expect(try self.name == "\(name)\n")
        }
    }

    private func withBench(_ body: @escaping @Sendable (Bench, EventLoop) async throws -> Void) async throws {
        let worker = Worker()
        defer { worker.shutdown() }
        try await withLoop { loop in
            let bench = try await Bench(loop, worker)
            try await body(bench, loop)
            await bench.engine.stop()
            try await bench.store.close(.now(bootID: "boot"))
        }
    }

    @Test("The deadline restores the system although the store accepts no writes; the record follows")
    func windowEnds() async throws {
        try await withBench { bench, loop in
            try await bench.tryName("tried", for: 1_000)
            bench.fail(true)
            #expect(try await loop.eventually { try bench.name == "factory\n" })
            #expect(try await loop.eventually { await bench.engine.trial?.phase == .revertFailed })
            // Nothing else is changed before the store says what holds.
            await #expect(throws: APIError.self) {
                try await bench.engine.set(
                    .init(changes: [.init(path: "system/hostname", value: "other")]),
                    author: Author(name: "a", isPrivileged: true), cause: nil)
            }
            bench.fail(false)
            let end = try await bench.engine.abort("t", author: Author(name: "a", isPrivileged: true))
            #expect(end.state == .reverted)
            #expect(try bench.name == "factory\n")
            #expect(await bench.engine.trial == nil)
        }
    }

    @Test("An abort restores the system although it cannot be stored, and the next run of the service continues it")
    func abort() async throws {
        try await withBench { bench, loop in
            try await bench.tryName("tried", for: 600_000)
            bench.fail(true)
            await #expect(throws: APIError.self) {
                try await bench.engine.abort("t", author: Author(name: "a", isPrivileged: true))
            }
            #expect(await bench.engine.trial?.phase == .revertFailed)
            #expect(try bench.name == "factory\n")
            #expect(await bench.engine.revertedTrial == "t")
            #expect(try bench.directory.read("volatile.json").contains(#""reverted_trial":"t""#))
            bench.fail(false)
            #expect(try await bench.engine.abort("t", author: Author(name: "a", isPrivileged: true)).state == .reverted)
            #expect(try bench.name == "factory\n")
            #expect(await bench.engine.revertedTrial == nil)
            #expect(try !bench.directory.read("volatile.json").contains("reverted_trial"))
        }
    }

    @Test("A late confirmation fails and names what could not be reverted")
    func late() async throws {
        try await withBench { bench, loop in
            try await bench.tryName("tried", for: 1_000)
            // Another change has the lock when its time is over, and the confirmation is next.
            let confirmation = try await bench.engine.writeLock.withLock {
                let confirmation = loop.task { try await bench.engine.confirm("t") }
                bench.advance(by: .milliseconds(1_100))
                try Files.remove(bench.directory.appending("root/etc/hostname"))
                try bench.directory.makeDirectory("root/etc/hostname")
                return confirmation
            }
            let error = await #expect(throws: APIError.self) { try await confirmation.value }
            guard case .notReverted(_, _, _, let message) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(message.contains("not confirmed in time") && message.contains("/etc/hostname"), "\(message)")
            #expect(await bench.engine.trial?.phase == .revertFailed)
        }
    }
}

extension SettingsEngine {
    /// The change that is undone in the system and that the store still has on trial.
    fileprivate var revertedTrial: String? { live.state.volatile.revertedTrial }
}

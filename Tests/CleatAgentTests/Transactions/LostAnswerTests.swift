import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
import CleatStore
import CleatTestSupport
import SystemPackage
import Testing

@testable import CleatAgent

/// Tests of the engine with a store that has done more than it has reported.
@Suite struct LostAnswerTests {
    @Test("A trial that the store has reverted already is reverted in memory, too")
    func undone() async throws {
        let directory = try TemporaryDirectory()
        let thread = ThreadExecutor(name: "store")
        let worker = Worker()
        defer { worker.shutdown() }
        let path = directory.path
        try await withLoop { loop in
            let bus = EventBus(bootID: "boot")
            let store = try await SettingsStore.open(directory: path, executor: thread)
            let engine = SettingsEngine(
                loop: loop, store: (store, await store.opening), state: try await store.snapshot(),
                sources: SettingsSources(schema: .builtIn),
                volatile: (VolatileFile(directory: path, bootID: "boot", worker: worker), VolatileState()),
                applier: SystemApplier(
                    of: try SystemResources(root: path), rules: [], loop: loop, worker: worker),
                prober: ProbeRunner(loop: loop, probes: ProbeSet(), socket: "/nowhere"), bus: bus
            ) { _ in }
            let set = try await engine.set(
                .init(changes: [.init(path: "network/interfaces/eth0/mtu", value: 1_400)]),
                author: Author(name: "a", isPrivileged: true), cause: nil)
            #expect(set.generation == 1)
            _ = try await engine.set(
                .init(changes: [.init(path: "network/interfaces/eth0/mtu", value: 9_000)], id: "t", confirm: 60_000),
                author: Author(name: "a", isPrivileged: true), cause: nil)
            #expect(try await engine.queries.get(try SettingPath("network/interfaces/eth0/mtu")).setting.value == 9_000)
            _ = try await store.revert(id: "t", stamp: .now(bootID: "boot"), reason: "its answer is lost")
            #expect(await engine.recordRevert())
            let now = try await engine.queries.get(try SettingPath("network/interfaces/eth0/mtu"))
            #expect(now.setting.value == 1_400 && now.generation == 3)
            await engine.stop()
            try await store.close(.now(bootID: "boot"))
        }
    }
}

extension SettingsEngine {
    /// Records the revert of the change on trial once more.
    fileprivate func recordRevert() async -> Bool { await runner.perform(.recordRevert) }
}

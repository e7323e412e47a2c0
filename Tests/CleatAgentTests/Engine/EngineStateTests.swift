import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatSettings
import CleatStore
import CleatTestSupport
import Testing

@testable import CleatAgent

/// The engine's values and its memory of the system, without a process.
@Suite struct EngineStateTests {
    @Test("Retries have growing delays; one that cannot be made is postponed, and the last one ends them")
    func retries() {
        let start = BootTime(milliseconds: 1_000)
        var retries = RetrySchedule()
        #expect(retries.next == nil)
        retries.start(start)
        #expect(retries.next == start.advanced(by: .seconds(5)))
        retries.postpone(start)
        #expect(retries.next == start.advanced(by: .seconds(60)))
        retries.advance(start, isNeeded: true)
        #expect(retries.next == start.advanced(by: .seconds(60)))
        retries.advance(start, isNeeded: true)
        #expect(retries.next == start.advanced(by: .seconds(600)))
        retries.advance(start, isNeeded: true)
        #expect(retries.next == nil)
        retries.start(start)
        retries.advance(start, isNeeded: false)
        #expect(retries.next == nil)
    }

    @Test("A state is a value: a change gives another one, its opposite the former, and unknown paths are separate")
    func states() throws {
        let path = try SettingPath("system/hostname")
        let state = SettingsState(
            settings: LayeredSettings(sources: SettingsSources(schema: .builtIn), committed: SettingsTree()),
            reference: GenerationRef(store: "s", generation: 4), volatile: VolatileState())
        let change = SettingDifference(path: path, old: nil, new: "pump")
        let (next, effects) = state.changingStored([change], to: GenerationRef(store: "s", generation: 5))
        #expect(next.settings.value(at: path)?.value == "pump" && next.reference.generation == 5)
        #expect(effects.touched == [path])
        #expect(state.settings.value(at: path)?.value != "pump" && state.reference.generation == 4)
        #expect(next.reverting([change]).settings.value(at: path)?.value == state.settings.value(at: path)?.value)
        let unknown = SettingDifference(path: try SettingPath("gone/setting"), old: nil, new: 1)
        let (known, left) = state.separatingUnknown([change, unknown])
        #expect(known.map(\.path) == [path] && left == [unknown.path])
    }

    @Test("Queries refuse unknown paths with a suggestion, and return set settings page by page")
    func queries() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            let queries = SettingsQueries(bench.live)
            let path = try SettingPath("system/hostname")
            #expect(try queries.get(path).setting.value == "pump")
            let unknown = queries.unknown(try SettingPath("system/hostnam"))
            #expect("\(unknown)".contains("system/hostname"))
            #expect(throws: unknown) { try queries.get(try SettingPath("system/hostnam")) }
            let page = try queries.list(under: nil, defaults: false, after: nil)
            #expect(page.settings.map(\.path) == ["system/hostname"] && page.next == nil)
            #expect(try queries.list(under: nil, defaults: false, after: path).settings.isEmpty)
            // They are about the state that they were made of.
            try await bench.set("other")
            #expect(try queries.get(path).setting.value == "pump")
        }
    }

    @Test("The known state of the system is read again after a failed write")
    func known() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            let resource = try #require(Resource(text: "file:/etc/hostname"))
            #expect(try await bench.live.resources.all()[resource]?.hasOrigin == true)
            bench.fail(true)
            let print = StoredFingerprint(resource: resource.text, adapter: "host-name", wanted: "x", found: "y")
            await #expect(throws: StoreError.self) { try await bench.live.resources.remember([print]) }
            bench.fail(false)
            #expect(try await bench.isCoherent())
            try await bench.live.resources.remember([print])
            #expect(try await bench.live.resources.all()[resource]?.found == "y")
            #expect(try await bench.isCoherent())
            try await bench.live.resources.remember([], forgetting: [resource.text])
            #expect(try await bench.live.resources.all()[resource] == nil)
            #expect(try await bench.isCoherent())
        }
    }

    @Test("At startup a missing file is written, an edited one stays and is drift; a comparison changes nothing")
    func reconciled() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            try Files.remove(bench.directory.appending("root/etc/hostname"))
            await bench.reconciler.inspect()
            #expect(!bench.reconciler.isReconciled && bench.reconciler.status.drift.count == 1)
            _ = await bench.reconciler.reconcileAtStartup(.restart, isComplete: true, leavesFiles: false)
            #expect(try bench.name == "pump\n")
            #expect(bench.reconciler.isReconciled && bench.reconciler.status.count == 0)
            try bench.directory.write("edited\n", to: "root/etc/hostname")
            _ = await bench.reconciler.reconcileAtStartup(.restart, isComplete: true, leavesFiles: false)
            #expect(try bench.name == "edited\n")
            #expect(bench.reconciler.status.drift.map(\.name) == ["/etc/hostname"])
            #expect(try await bench.isCoherent())
        }
    }
}

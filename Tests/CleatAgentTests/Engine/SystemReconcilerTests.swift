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

/// The system at startup, at a reload, and as interfaces appear, without a process.
@Suite struct SystemReconcilerTests {
    private static let swappiness = "/proc/sys/vm/swappiness"

    // MARK: Startup

    @Test(
        "A boot sets kernel values again; a restart takes another value for an outside edit", arguments: [true, false])
    func occasion(isBoot: Bool) async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            bench.kernel[Self.swappiness] = "60"
            try await bench.set("kernel/sysctl/vm.swappiness", to: 10)
            bench.kernel[Self.swappiness] = "60"
            _ = await bench.reconciler.reconcileAtStartup(
                isBoot ? .boot : .restart, isComplete: true, leavesFiles: false)
            #expect(bench.kernel[Self.swappiness] == (isBoot ? "10" : "60"))
            #expect(bench.reconciler.status.drift.map(\.name) == (isBoot ? [] : [Self.swappiness]))
            #expect(try await bench.isCoherent())
        }
    }

    @Test(
        "A file that is again as it was before Cleat is written again at a boot, and is an edit at a restart",
        arguments: [true, false])
    func resetFile(isBoot: Bool) async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            try bench.edit("factory\n")
            _ = await bench.reconciler.reconcileAtStartup(
                isBoot ? .boot : .restart, isComplete: true, leavesFiles: false)
            #expect(try bench.name == (isBoot ? "pump\n" : "factory\n"))
            #expect(bench.reconciler.status.drift.isEmpty == isBoot)
        }
    }

    @Test("Files stay where the settings may be older than they; kernel state is written all the same")
    func leavesFiles() async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            bench.kernel[Self.swappiness] = "60"
            try await bench.set("kernel/sysctl/vm.swappiness", to: 10)
            try Files.remove(bench.directory.appending("root/etc/sysctl.d/60-cleat.conf"))
            bench.kernel[Self.swappiness] = "60"
            _ = await bench.reconciler.reconcileAtStartup(.boot, isComplete: true, leavesFiles: true)
            #expect(bench.kernel[Self.swappiness] == "10")
            #expect((try? bench.directory.read("root/etc/sysctl.d/60-cleat.conf")) == nil)
        }
    }

    @Test(
        "What no setting claims any more is restored, unless some of the board's files could not be read",
        arguments: [true, false])
    func released(isComplete: Bool) async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            bench.live.state.settings = bench.live.state.settings.replacingStored(SettingsTree())
            _ = await bench.reconciler.reconcileAtStartup(.restart, isComplete: isComplete, leavesFiles: false)
            #expect(try bench.name == (isComplete ? "factory\n" : "pump\n"))
            #expect(bench.reconciler.areSourcesComplete == isComplete)
            #expect(try await bench.isCoherent())
        }
    }

    @Test("A failure at startup is reported, and the other resources are written")
    func partial() async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            bench.kernel[Self.swappiness] = "60"
            try await bench.set("kernel/sysctl/vm.swappiness", to: 10)
            try await bench.set("pump")
            bench.kernel[Self.swappiness] = "60"
            bench.kernel.setOutside(name: "factory")
            bench.kernel.fail([.setHostName])
            _ = await bench.reconciler.reconcileAtStartup(.boot, isComplete: true, leavesFiles: false)
            #expect(bench.kernel[Self.swappiness] == "10")
            #expect(bench.reconciler.status.unfollowed.map(\.adapter) == ["host-name"])
            bench.kernel.fail([])
            _ = await bench.reconciler.reconcileAtStartup(.boot, isComplete: true, leavesFiles: false)
            #expect(bench.kernel.name == "pump" && bench.reconciler.status.count == 0)
        }
    }

    @Test("A store that takes no writes is reported, and nothing is written to the system")
    func storeFault() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            try Files.remove(bench.directory.appending("root/etc/hostname"))
            bench.fail(true)
            _ = await bench.reconciler.reconcileAtStartup(.restart, isComplete: true, leavesFiles: false)
            #expect(bench.reconciler.status.unfollowed.count >= 1)
            #expect((try? bench.name) == nil)
            bench.fail(false)
            _ = await bench.reconciler.reconcileAtStartup(.restart, isComplete: true, leavesFiles: false)
            #expect(try bench.name == "pump\n")
            #expect(bench.reconciler.status.count == 0)
        }
    }

    @Test("The programs of the startup run later; those that fail are reported, and not retried by themselves")
    func startupActions() async throws {
        try await EngineBench.with(.program) { (bench: EngineBench) async throws in
            try bench.directory.write("", to: AppAdapter.needed)
            try await bench.set("app/value", to: "one")
            try Files.remove(bench.directory.appending("root/etc/app"))
            try Files.remove(bench.directory.appending(AppAdapter.needed))
            let actions = await bench.reconciler.reconcileAtStartup(.restart, isComplete: true, leavesFiles: false)
            #expect(actions.count == 1 && bench.reconciler.status.count == 0)
            #expect(try bench.directory.read("root/etc/app") == "one\n")
            await bench.reconciler.runStartup(actions)
            #expect(bench.reconciler.status.failedActions.count == 1 && bench.reconciler.wakeTime == nil)
            try bench.directory.write("", to: AppAdapter.needed)
            await bench.reconciler.runStartup(actions)
            _ = await bench.reconciler.retryFailedActions()
            #expect(bench.reconciler.status.failedActions.isEmpty)
        }
    }

    @Test("Files of Cleat's that the store does not know are found, but not by an in-memory fallback")
    func unknownFiles() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try bench.directory.makeDirectory("root/etc/sysctl.d")
            try await bench.set("kernel/sysctl/vm.swappiness", to: 10)
            #expect(await bench.reconciler.unknownFiles().isEmpty)
            let resource = try #require(Resource(text: "file:/etc/sysctl.d/60-cleat.conf"))
            try await bench.live.resources.remember([], forgetting: [resource.text])
            #expect(await bench.reconciler.unknownFiles() == [resource])
            let fallback = try await bench.nextRun(isFallback: true)
            #expect(await fallback.reconciler.unknownFiles().isEmpty)
        }
    }

    // MARK: Failed actions and retries

    @Test("A change whose program fails is reverted; the failed program is retried until it succeeds")
    func retried() async throws {
        try await EngineBench.with(.program) { (bench: EngineBench) async throws in
            #expect(await refusal { try await bench.set("app/value", to: "one") } == "NotApplied")
            #expect(bench.live.transaction == nil)
            #expect(bench.reconciler.status.failedActions.count == 1)
            var due = try #require(bench.reconciler.wakeTime)
            #expect(due.duration(since: bench.now) > .seconds(RetrySchedule.delays[0] - 1))
            await bench.reconciler.wake()
            #expect(bench.reconciler.wakeTime == due, "it was woken too early")
            bench.advance(by: .seconds(RetrySchedule.delays[0]))
            await bench.reconciler.wake()
            due = try #require(bench.reconciler.wakeTime)
            #expect(bench.reconciler.status.failedActions.count == 1)
            #expect(due.duration(since: bench.now) > .seconds(RetrySchedule.delays[1] - 1))
            try bench.directory.write("", to: AppAdapter.needed)
            bench.advance(by: .seconds(RetrySchedule.delays[1]))
            await bench.reconciler.wake()
            #expect(bench.reconciler.status.failedActions.isEmpty && bench.reconciler.wakeTime == nil)
        }
    }

    @Test("A retry that comes while a change is on trial is postponed")
    func postponed() async throws {
        try await EngineBench.with(.program) { (bench: EngineBench) async throws in
            #expect(await refusal { try await bench.set("app/value", to: "one") } == "NotApplied")
            try await bench.set("tried", id: "t", confirm: 3_600_000)
            #expect(await bench.reconciler.retryFailedActions().isEmpty)
            bench.advance(by: .seconds(RetrySchedule.delays[0]))
            await bench.reconciler.wake()
            let due = try #require(bench.reconciler.wakeTime)
            #expect(due.duration(since: bench.now) > .seconds(59))
            #expect(bench.reconciler.status.failedActions.count == 1)
            // It counts as none: the next one is followed by the second delay.
            _ = try await bench.runner.confirm("t")
            bench.advance(by: .seconds(60))
            await bench.reconciler.wake()
            let next = try #require(bench.reconciler.wakeTime)
            #expect(next.duration(since: bench.now) <= .seconds(RetrySchedule.delays[1]))
        }
    }

    @Test("A later change whose program succeeds ends the failure of the former one")
    func superseded() async throws {
        try await EngineBench.with(.program) { (bench: EngineBench) async throws in
            #expect(await refusal { try await bench.set("app/value", to: "one") } == "NotApplied")
            try bench.directory.write("", to: AppAdapter.needed)
            try await bench.set("app/value", to: "two")
            #expect(bench.reconciler.status.failedActions.isEmpty)
        }
    }

    // MARK: Reload

    @Test("A reload of the board's files writes what they say, and runs failed programs again")
    func reload() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let engine = bench.engine
            let before = await engine.schemaInForce.revision
            let values: JSONValue = ["system": ["hostname": "vendor"]]
            let sources = SettingsSources(
                schema: .builtIn, vendor: [SettingsFile(file: "defaults.json5", values: values)])
            let watcher = try await engine.watch([])
            await engine.reload(sources, adapters: [], isComplete: false)
            #expect(try bench.name == "vendor\n")
            #expect(await engine.schemaInForce.revision == before + 1)
            #expect(await !engine.areSourcesComplete)
            let paths = await watcher.next()?.paths
            #expect(paths?.contains(try SettingPath("system/hostname")) == true)
            await engine.reload(SettingsSources(schema: .builtIn), adapters: [], isComplete: true)
            #expect(try bench.name == "factory\n")
            #expect(await engine.areSourcesComplete)
        }
    }

    @Test("The files that changed while a change was on trial are followed at its end")
    func reloadOnTrial() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            let engine = bench.engine
            await engine.reconcileAtStartup(.restart, isComplete: true)
            _ = try await engine.set(
                .init(changes: [.init(path: "system/hostname", value: "tried")], id: "t", confirm: 60_000),
                author: EngineBench.root, cause: nil)
            let values: JSONValue = ["system": ["hostname": "vendor"]]
            await engine.reload(
                SettingsSources(schema: .builtIn, vendor: [SettingsFile(file: "defaults.json5", values: values)]),
                adapters: [], isComplete: true)
            #expect(try bench.name == "tried\n", "the resources of a change on trial are not reconciled")
            _ = try await engine.abort("t", author: EngineBench.root)
            #expect(try bench.name == "vendor\n")
        }
    }

    // MARK: Interfaces

    private static let mtu = "network/interfaces/eth0/mtu"

    private static func outcome(_ arrival: SystemReconciler.Arrival) -> String {
        switch arrival {
        case .unwanted: "unwanted"
        case .gone: "gone"
        case .waiting: "waiting"
        case .configured: "configured"
        case .failed: "failed"
        }
    }

    @Test(
        "An interface that appears is configured, unless nothing is set, it is gone again, or the kernel refuses",
        arguments: ["unwanted", "gone", "configured", "failed", "unstored"])
    func arrival(_ end: String) async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            let events = bench.bus.subscribe(matching: EventFilter(sources: [.agent]), buffer: 64)
            if end != "unwanted" { try await bench.set(Self.mtu, to: 1_400) }
            #expect(bench.reconciler.isSet(interface: "eth0") == (end != "unwanted"))
            if end != "gone" { bench.kernel.plug("eth0") }
            if end == "failed" { bench.kernel.fail([.route(.setLink)]) }
            if end == "unstored" { bench.fail(true) }
            while events.nextNow() != nil {}
            let found = await bench.reconciler.configure(appeared: "eth0")
            #expect(Self.outcome(found) == (end == "unstored" ? "failed" : end))
            #expect(bench.kernel.mtu(of: "eth0") == (end == "gone" ? nil : end == "configured" ? 1_400 : 1_500))
            var actions: [String] = []
            while case .event(let event)? = events.nextNow() { actions.append(event.action) }
            let expected =
                switch end {
                case "configured": ["interface-configured"]
                case "failed", "unstored": ["interface-failed"]
                default: [String]()
                }
            #expect(actions == expected)
        }
    }

    @Test("An interface of a change on trial waits for its end")
    func waiting() async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            bench.kernel.plug("eth0")
            try await bench.make(.init(changes: [.init(path: Self.mtu, value: 1_400)], id: "t", confirm: 60_000))
            #expect(Self.outcome(await bench.reconciler.configure(appeared: "eth0")) == "waiting")
            _ = try await bench.runner.confirm("t")
            #expect(Self.outcome(await bench.reconciler.configure(appeared: "eth0")) == "configured")
        }
    }

    @Test("Interfaces that are missing at startup are awaited; a kernel that does not answer is reported")
    func awaited() async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            try await bench.set(Self.mtu, to: 1_400)
            _ = await bench.reconciler.reconcileAtStartup(.boot, isComplete: true, leavesFiles: false)
            #expect(bench.reconciler.awaitedInterfaces == ["eth0"])
            bench.kernel.fail([.route(.getLink)])
            _ = await bench.reconciler.reconcileAtStartup(.boot, isComplete: true, leavesFiles: false)
            #expect(bench.reconciler.status.unfollowed.contains { $0.adapter == "interfaces" })
        }
    }
}

import CleatAPI
import CleatHooks
import CleatIO
import CleatJSON
import CleatObservers
import CleatStore
import CleatTestSupport
import Testing

@testable import CleatAgent

/// The phases of a change, and the fault of each, without a process.
@Suite struct TransactionRunnerTests {
    @Test("A change is armed, applied and confirmed, and the known resources are those of the store")
    func confirmed() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            let reply = try await bench.set("pump")
            #expect(reply.state == .confirmed && reply.generation == 1)
            #expect(try bench.name == "pump\n")
            #expect(try bench.setting == "pump")
            #expect(bench.live.transaction == nil && bench.runner.wakeTime == nil)
            #expect(try await bench.isCoherent())
            #expect(bench.commits == 2, "once as it is armed, once as it is confirmed")
        }
    }

    @Test("A change that cannot be armed has changed nothing")
    func refused() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            bench.fail(true)
            await #expect(throws: APIError.self) { try await bench.set("pump") }
            #expect(try bench.name == "factory\n")
            #expect(try bench.setting != "pump")
            #expect(bench.live.transaction == nil && bench.live.storeFailure != nil && bench.commits == 0)
            bench.fail(false)
            #expect(try await bench.isCoherent())
            #expect(try await bench.set("pump").generation == 1)
            #expect(bench.live.storeFailure == nil)
        }
    }

    @Test("A change that cannot be applied is reverted by a generation of its own")
    func reverted() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            // The directory cannot be written to by a rename: the new file's place is taken by a directory.
            try bench.directory.makeDirectory("root/etc/localtime")
            let request = SettingsInterface.Set.Parameters(
                changes: [
                    .init(path: "system/hostname", value: "second"),
                    .init(path: "system/timezone", value: "Europe/Berlin"),
                ], id: "t")
            let plan = try SettingsPlan(request)
            let order = try ChangeOrder(
                request, plan, author: EngineBench.root, cause: nil, caller: .unknown,
                probes: bench.live.services.prober.probes)
            await #expect(throws: APIError.self) {
                try await bench.writer.set(plan, order, uploads: UploadedContents())
            }
            #expect(try bench.name == "first\n")
            #expect(try bench.setting == "first")
            #expect(bench.live.transaction == nil)
            #expect(try await bench.isCoherent())
        }
    }

    @Test("A trial waits for its deadline, and is reverted when the timer fires then")
    func windowEnds() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            let reply = try await bench.set("tried", id: "t", confirm: 60_000)
            #expect(reply.state == .pending)
            #expect(try bench.name == "tried\n")
            let deadline = try #require(bench.runner.wakeTime)
            await bench.runner.wake()
            #expect(bench.live.transaction?.machine.state == .awaitingConfirm, "it was woken too early")
            bench.advance(by: .milliseconds(60_001))
            #expect(deadline <= bench.now)
            await bench.runner.wake()
            #expect(bench.live.transaction == nil && bench.runner.wakeTime == nil)
            #expect(try bench.name == "factory\n")
            let revert = try #require(try await bench.store.record(reverting: 1))
            #expect("\(revert)".contains("it was not confirmed within its confirm window of 1m"))
            #expect(try await bench.isCoherent())
        }
    }

    @Test("Another change is refused while one is on trial; its id confirms it, extends it, and no other one does")
    func ends() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            await #expect(throws: APIError.self) { try await bench.set("other") }
            let notice = try #require(bench.live.transaction?.notice(bench.live.services.now()))
            #expect(notice.id == "t" && notice.phase == .awaitingConfirm)
            await #expect(throws: APIError.self) { try await bench.runner.confirm("other") }
            await #expect(throws: APIError.self) { try await bench.runner.abort("not an id", author: EngineBench.root) }
            let trial = try await bench.runner.extend("t", window: 120_000)
            #expect(trial.window == 120_000 && (trial.remaining ?? 0) > 60_000)
            #expect(try await bench.runner.confirm("t")?.state == .confirmed)
            #expect(try await bench.runner.confirm("t") == nil, "nothing is on trial any more")
            #expect(try bench.setting == "tried")
        }
    }

    @Test("A confirmation that the store does not take leaves the change on trial")
    func unconfirmed() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            bench.fail(true)
            await #expect(throws: APIError.self) { try await bench.runner.confirm("t") }
            #expect(bench.live.transaction?.machine.state == .awaitingConfirm)
            bench.fail(false)
            #expect(try await bench.runner.confirm("t")?.state == .confirmed)
        }
    }

    @Test("A revert that the store does not take gives the former values, and is retried with growing delays")
    func unrecorded() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            bench.fail(true)
            await #expect(throws: APIError.self) { try await bench.runner.abort("t", author: EngineBench.root) }
            #expect(try bench.name == "factory\n")
            #expect(try bench.setting != "tried")
            #expect(bench.live.state.volatile.revertedTrial == "t")
            for delay in RetrySchedule.delays {
                let next = try #require(bench.runner.wakeTime)
                #expect(next.duration(since: bench.now) <= .seconds(delay))
                #expect(next.duration(since: bench.now) > .seconds(delay - 1))
                bench.advance(by: .seconds(delay))
                await bench.runner.wake()
                #expect(bench.live.transaction?.machine.state == .revertFailed)
            }
            #expect(bench.runner.wakeTime == nil, "after the last retry only a caller retries it")
            bench.fail(false)
            #expect(try await bench.runner.abort("t", author: EngineBench.root)?.state == .reverted)
            #expect(bench.live.state.volatile.revertedTrial == nil)
            #expect(try await bench.isCoherent())
        }
    }

    @Test("A resource that cannot be restored makes the revert fail, until the obstacle is gone")
    func unrestored() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            try bench.obstruct()
            bench.advance(by: .seconds(61))
            await bench.runner.wake()
            let failed = try #require(bench.live.transaction)
            #expect(failed.machine.state == .revertFailed && failed.revert.failures.count == 1)
            await #expect(throws: APIError.self) { try await bench.runner.waitForEnd("t") }
            try bench.clear()
            bench.advance(by: .seconds(RetrySchedule.delays[0]))
            await bench.runner.wake()
            #expect(bench.live.transaction == nil)
            #expect(try bench.name == "factory\n")
        }
    }

    @Test("A resumed trial begins like a new one: in the same boot it waits, else it is reverted")
    func resumed() async throws {
        for isSameBoot in [true, false] {
            try await EngineBench.with { (bench: EngineBench) async throws in
                try await bench.set("tried", id: "t", confirm: 60_000)
                let stored = try #require(try await bench.store.trial())
                let services = bench.live.services
                let bus = EventBus(bootID: isSameBoot ? "boot" : "next")
                let next = LiveState(
                    services: EngineServices(
                        loop: services.loop, store: services.store, isFallback: false, isFailsafe: false, bus: bus,
                        prober: services.prober, volatileFile: services.volatileFile, journal: services.journal,
                        now: services.now, onCommit: services.onCommit),
                    state: SettingsState(
                        settings: bench.live.state.reverting(stored.changes).settings, reference: stored.generation,
                        volatile: VolatileState()), applier: bench.live.applier)
                let runner = TransactionRunner(next, SystemReconciler(next))
                await runner.resume(stored)
                #expect((next.transaction != nil) == isSameBoot)
                #expect((runner.wakeTime != nil) == isSameBoot)
                #expect(try bench.name == (isSameBoot ? "tried\n" : "factory\n"))
                #expect(runner.resumed(stored).contains(isSameBoot ? "is on trial for another" : "was reverted"))
            }
        }
    }
}

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

/// The changes that another run of the service has left on trial, without a process.
@Suite struct TransactionResumeTests {
    /// A trial as the store has it, and what becomes of it.
    struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var phase: TrialPhase?
        var bootID = "boot"
        var ahead: Int64 = 0
        var revertedTrial: String?
        var waits = false
    }

    @Test(
        "A trial of this boot waits for its remaining time; any other is reverted",
        arguments: [
            Case(testDescription: "waiting", waits: true),
            Case(testDescription: "another boot", bootID: "next"),
            Case(testDescription: "armed", phase: .armed),
            Case(testDescription: "reverting", phase: .reverting),
            Case(testDescription: "revert failed", phase: .revertFailed),
            Case(testDescription: "a phase of a later release", phase: .other("pondering")),
            Case(testDescription: "overtaken by a repair", ahead: 4),
            Case(testDescription: "reverted in the system, and not in the store", revertedTrial: "t"),
            Case(testDescription: "another one was reverted", revertedTrial: "u", waits: true),
        ])
    func resumed(_ one: Case) async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            var stored = try #require(try await bench.store.trial())
            if let phase = one.phase { stored.phase = phase }
            var volatile = VolatileState()
            volatile.revertedTrial = one.revertedTrial
            let next = try await bench.nextRun(bootID: one.bootID, volatile: volatile, ahead: one.ahead)
            await next.runner.resume(stored)
            #expect((next.live.transaction != nil) == one.waits)
            #expect((next.runner.wakeTime != nil) == one.waits)
            #expect(try bench.name == (one.waits ? "tried\n" : "factory\n"))
            let path = try #require(stored.changes.first?.path)
            #expect((next.live.state.settings.value(at: path)?.value == "tried") == one.waits)
            #expect((try await bench.store.trial() != nil) == one.waits)
            if one.waits {
                #expect(try await next.runner.confirm("t")?.state == .confirmed)
            } else {
                #expect(next.live.state.volatile.revertedTrial == nil)
            }
        }
    }

    @Test("A memento that cannot be read is reported, and does not keep the change from being reverted")
    func lost() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            var stored = try #require(try await bench.store.trial())
            let index = try #require(stored.mementos.firstIndex { $0.resource == "file:/etc/hostname" })
            stored.mementos[index].state = [0xff, 0x00]
            let next = try await bench.nextRun(bootID: "next")
            await next.runner.resume(stored)
            #expect(next.live.transaction == nil)
            #expect(try bench.name == "tried\n", "what it was is not known any more")
            let failed = try #require(next.reconciler.status.failedActions.first)
            #expect(failed.actions.isEmpty && failed.result.state == .failed)
            #expect(next.reconciler.wakeTime == nil, "no retry can repair it")
            next.reconciler.forgetLost()
            #expect(next.reconciler.status.count == 0)
        }
    }

    @Test("A trial that cannot be reverted at startup is retried, and says so")
    func obstructed() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            let stored = try #require(try await bench.store.trial())
            try bench.obstruct()
            let next = try await bench.nextRun(bootID: "next")
            await next.runner.resume(stored)
            #expect(next.live.transaction?.machine.state == .revertFailed)
            #expect(try await bench.store.trial()?.phase == .revertFailed)
            #expect(next.runner.wakeTime != nil)
            #expect(next.runner.resumed(stored).contains("cleat abort t"))
        }
    }

    @Test("An in-memory fallback of the store takes no change, and reverts a trial in the system alone")
    func fallback() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            try await bench.store.close(.now(bootID: "boot"))
            try bench.directory.write("", to: "file")
            let cause = await #expect(throws: StoreError.self) {
                try await SettingsStore.open(
                    directory: bench.directory.path.appending("file"), executor: ThreadExecutor(name: "none"))
            }
            let fallback = try await SettingsStore.fallback(
                for: bench.directory.path.appending("store"), in: bench.directory.path.appending("memory"),
                because: try #require(cause), executor: ThreadExecutor(name: "fallback"))
            let stored = try #require(try await fallback.trial())
            let next = try await bench.nextRun(bootID: "next", store: fallback, isFallback: true)
            await next.runner.resume(stored)
            #expect(next.live.transaction == nil)
            #expect(try bench.name == "factory\n")
            #expect(next.live.state.volatile.revertedTrial == "t", "the store's own files still have it on trial")
            let plan = try SettingsPlan(.init(changes: [.init(path: "system/hostname", value: "other")]))
            let order = try ChangeOrder(
                .init(changes: []), plan, author: EngineBench.root, cause: nil, caller: .unknown, probes: .init())
            let code = await refusal { _ = try await next.writer.set(plan, order, uploads: UploadedContents()) }
            #expect(code.hasPrefix("StoreFailed"))
            #expect(try bench.name == "factory\n")
            try await fallback.close(.now(bootID: "next"))
        }
    }
}

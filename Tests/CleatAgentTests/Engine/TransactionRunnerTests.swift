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

/// The phases of a change, and the fault of each, without a process.
@Suite(.timeLimit(.minutes(2 * TestMachine.slowness))) struct TransactionRunnerTests {
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
            #expect(await refusal { try await bench.set("pump") } == "StoreFailed input_output")
            #expect(try bench.name == "factory\n")
            #expect(try bench.setting != "pump")
            #expect(bench.live.transaction == nil && bench.live.storeFailure != nil && bench.commits == 0)
            bench.fail(false)
            #expect(try await bench.isCoherent())
            #expect(try await bench.set("pump").generation == 1)
            #expect(bench.live.storeFailure == nil)
        }
    }

    @Test(
        "A change that cannot be applied is reverted by a generation of its own", arguments: [nil as Int64?, 60_000])
    func reverted(confirm: Int64?) async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            try await bench.set("first")
            bench.kernel.fail([.setHostName])
            #expect(await refusal { try await bench.set("second", confirm: confirm) } == "NotApplied")
            #expect(try bench.name == "first\n" && bench.kernel.name == "first")
            #expect(try bench.setting == "first")
            #expect(bench.live.transaction == nil)
            #expect(try await bench.store.record(reverting: 2)?.number == 3)
            #expect(try await bench.isCoherent())
        }
    }

    @Test("A window that cannot be stored is not started: the change is reverted")
    func windowFault() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            let file = bench.directory.path.appending("root/etc/hostname")
            // What comes after the file is written, and before it is restored, is the window alone.
            bench.fail { (try? contents(of: file)) == "tried\n" }
            #expect(await refusal { try await bench.set("tried", id: "t", confirm: 60_000) } == "NotApplied")
            bench.fail(false)
            #expect(try bench.name == "factory\n" && bench.setting != "tried")
            #expect(bench.live.transaction == nil && bench.runner.wakeTime == nil)
            #expect(try await bench.store.record(reverting: 1) != nil)
            #expect(try await bench.isCoherent())
        }
    }

    @Test("Kept addresses that cannot be removed leave the change on trial; a later confirmation removes them")
    func keptAddresses() async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            bench.kernel.plug("eth0")
            let path = "network/interfaces/eth0/addresses"
            try await bench.set(path, to: ["192.0.2.1/24"])
            let reply = try await bench.make(
                .init(changes: [.init(path: path, value: ["192.0.2.2/24"])], id: "t", confirm: 60_000))
            #expect(reply.state == .pending)
            #expect(bench.kernel.addressCount == 2, "the former address is kept for the time of the trial")
            bench.kernel.fail([.route(.removeAddress)])
            #expect(await refusal { _ = try await bench.runner.confirm("t") } == "StoreFailed cleanup")
            #expect(bench.live.transaction?.machine.state == .awaitingConfirm)
            bench.kernel.fail([])
            #expect(try await bench.runner.confirm("t")?.state == .confirmed)
            #expect(bench.kernel.addressCount == 1)
        }
    }

    @Test("A rehearsal compares what it touched with what was before, and leaves nothing on trial")
    func rehearsal() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            let reply = try await bench.make(
                .init(changes: [.init(path: "system/hostname", value: "second")], rehearse: true))
            #expect(reply.state == .reverted && reply.results.contains { $0.state == .applied })
            let file = try #require(reply.rehearsal?.first { $0.resource == "/etc/hostname" })
            #expect(file.state == .restored)
            #expect(try bench.name == "first\n" && bench.setting == "first" && bench.live.transaction == nil)
            #expect(try await bench.store.record(reverting: 2) != nil)
            // Nothing of the system follows this one, so that nothing is rehearsed.
            let idle = try await bench.make(
                .init(changes: [.init(path: "time/ntp/servers", value: ["192.0.2.1"])], rehearse: true))
            #expect(idle.state == .checked && idle.rehearsal == [])
        }
    }

    @Test(
        "A rehearsal that fails is reverted and reported; one that cannot be armed or reverted says so",
        arguments: [("apply", "NotApplied"), ("arm", "StoreFailed input_output"), ("revert", "NotReverted")])
    func failedRehearsal(fault: String, code: String) async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            let file = bench.directory.path.appending("root/etc/hostname")
            switch fault {
            case "apply": bench.kernel.fail([.setHostName])
            case "arm": bench.fail(true)
            default:
                // From the moment that the file is written.
                let isWritten = Flag()
                bench.fail {
                    if (try? contents(of: file)) == "second\n" { isWritten.set() }
                    return isWritten.isSet
                }
            }
            #expect(
                await refusal {
                    try await bench.make(
                        .init(changes: [.init(path: "system/hostname", value: "second")], rehearse: true))
                } == code)
            bench.fail(false)
            #expect(try bench.name == "factory\n")
        }
    }

    @Test("A revert whose failure cannot be stored either stays failed, and its next attempt ends it")
    func failureFault() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            try bench.obstruct()
            bench.fail(true)
            #expect(await refusal { _ = try await bench.runner.abort("t", author: EngineBench.root) } == "NotReverted")
            let failed = try #require(bench.live.transaction)
            #expect(failed.machine.state == .revertFailed && failed.revert.attempts == 1)
            #expect(try await bench.store.trial()?.phase == .awaitingConfirm, "the store knows nothing of it")
            try bench.clear()
            bench.fail(false)
            #expect(try await bench.runner.abort("t", author: EngineBench.root)?.state == .reverted)
            #expect(try bench.name == "factory\n")
        }
    }

    @Test(
        "A confirmation after the deadline reverts the change, or reports what could not be reverted",
        arguments: [(false, "NoTransaction"), (true, "NotReverted")])
    func lateConfirmation(isObstructed: Bool, code: String) async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            bench.advance(by: .seconds(61))
            if isObstructed { try bench.obstruct() }
            #expect(await refusal { _ = try await bench.runner.confirm("t") } == code)
            #expect(bench.live.transaction?.machine.state == (isObstructed ? .revertFailed : nil))
            if !isObstructed { #expect(try bench.name == "factory\n") }
        }
    }

    @Test("A change whose client disconnects is reverted, whatever it has done by then")
    func cancelled() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            let engine = bench.engine
            let task = bench.loop.task {
                try await engine.set(
                    .init(changes: [.init(path: "system/hostname", value: "gone")], id: "t"),
                    author: EngineBench.root, cause: nil)
            }
            // The first write to the store is that of the armed change.
            bench.fail {
                task.cancel()
                return false
            }
            let code = await refusal { _ = try await task.value }
            #expect(code == "NotApplied")
            #expect(try bench.name == "factory\n")
            let end = try await engine.waitForEnd("t")
            #expect(end.state == .reverted && end.generation == 2)
        }
    }

    @Test("Callers that wait for a change learn its end, its failure, or that they were cancelled")
    func waiters() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            let engine = bench.engine
            func tried(_ id: String) async throws -> Task<TransactionsInterface.End, any Error> {
                _ = try await engine.set(
                    .init(changes: [.init(path: "system/hostname", value: .string(id))], id: id, confirm: 60_000),
                    author: EngineBench.root, cause: nil)
                let task = bench.loop.task { try await engine.waitForEnd(id) }
                await bench.loop.yield()
                return task
            }
            let kept = try await tried("kept")
            _ = try await engine.confirm("kept")
            #expect(try await kept.value.state == .confirmed)
            let aborted = try await tried("aborted")
            _ = try await engine.abort("aborted", author: EngineBench.root)
            #expect(try await aborted.value.state == .reverted)
            let cancelled = try await tried("cancelled")
            cancelled.cancel()
            #expect(await refusal { _ = try await cancelled.value } == "cancelled")
            let failed = bench.loop.task { try await engine.waitForEnd("cancelled") }
            await bench.loop.yield()
            try bench.obstruct()
            #expect(
                await refusal { _ = try await engine.abort("cancelled", author: EngineBench.root) } == "NotReverted")
            #expect(await refusal { _ = try await failed.value } == "NotReverted")
            #expect(await refusal { _ = try await engine.waitForEnd("never") } == "NoTransaction")
            #expect(await refusal { _ = try await engine.waitForEnd("not an id") } == "UnknownTransaction")
        }
    }

    @Test("A change of the host name makes at most eight hops to the threads of the store and of the worker")
    func hops() async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            try await bench.set("first")
            let before = bench.hops
            try await bench.set("second")
            let hops = bench.hops - before
            #expect(hops <= 8, "\(hops)")
            #expect(try bench.name == "second\n" && bench.kernel.name == "second")
        }
    }

    @Test("A trial waits for its deadline, and is reverted when it is woken then")
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
            #expect(await refusal { try await bench.set("other") } == "TransactionPending")
            let notice = try #require(bench.live.transaction?.notice(bench.live.services.now()))
            #expect(notice.id == "t" && notice.phase == .awaitingConfirm)
            for id in ["other", "not an id"] {
                #expect(await refusal { _ = try await bench.runner.confirm(id) } == "UnknownTransaction")
                #expect(
                    await refusal { _ = try await bench.runner.abort(id, author: EngineBench.root) }
                        == "UnknownTransaction")
                #expect(await refusal { _ = try await bench.runner.extend(id, window: 9_000) } == "UnknownTransaction")
            }
            let trial = try await bench.runner.extend("t", window: 120_000)
            #expect(trial.window == 120_000 && (trial.remaining ?? 0) > 60_000)
            #expect(try await bench.runner.confirm("t")?.state == .confirmed)
            #expect(try await bench.runner.confirm("t") == nil, "nothing is on trial any more")
            #expect(try await bench.runner.abort("t", author: EngineBench.root) == nil)
            #expect(await refusal { _ = try await bench.runner.extend("t", window: 9_000) } == "NoTransaction")
            #expect(try bench.setting == "tried")
        }
    }

    @Test("A confirmation that the store does not take leaves the change on trial")
    func unconfirmed() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            bench.fail(true)
            #expect(await refusal { _ = try await bench.runner.confirm("t") } == "StoreFailed input_output")
            #expect(
                await refusal { _ = try await bench.runner.extend("t", window: 9_000) } == "StoreFailed input_output")
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
            #expect(await refusal { _ = try await bench.runner.abort("t", author: EngineBench.root) } == "NotReverted")
            #expect(try bench.name == "factory\n")
            #expect(try bench.setting != "tried")
            #expect(bench.live.state.volatile.revertedTrial == "t")
            #expect(try bench.directory.read("volatile.json").contains(#""reverted_trial":"t""#))
            #expect(await refusal { try await bench.set("other") } == "TransactionPending")
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
            #expect(try !bench.directory.read("volatile.json").contains("reverted_trial"))
            #expect(try await bench.isCoherent())
        }
    }

    @Test("A trial that the store has reverted already, and whose reply was lost, is reverted in memory, too")
    func lostReply() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            try await bench.set("tried", id: "t", confirm: 60_000)
            _ = try await bench.store.revert(id: "t", stamp: .now(bootID: "boot"), reason: "its reply is lost")
            #expect(await bench.runner.perform(.recordRevert))
            #expect(try bench.setting == "first" && bench.live.state.reference.generation == 3)
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
            #expect(await refusal { _ = try await bench.runner.waitForEnd("t") } == "NotReverted")
            #expect(await refusal { _ = try await bench.runner.confirm("t") } == "TransactionPending")
            #expect(await refusal { _ = try await bench.runner.extend("t", window: 9_000) } == "TransactionPending")
            try bench.clear()
            bench.advance(by: .seconds(RetrySchedule.delays[0]))
            await bench.runner.wake()
            #expect(bench.live.transaction == nil)
            #expect(try bench.name == "factory\n")
        }
    }
}

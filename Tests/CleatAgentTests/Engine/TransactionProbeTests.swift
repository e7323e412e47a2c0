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

/// The probes of a change on trial, from before the change to its end, without a process.
@Suite struct TransactionProbeTests {
    @Test("Probes that fail are checked again, and those that hold twice in succession confirm the change")
    func held() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            bench.setLink("eth0", isUp: true)
            let reply = try await bench.set("tried", id: "t", until: ["link:eth0"])
            #expect(reply.state == .pending && reply.probes?.map(\.state) == [.waiting])
            #expect(bench.runner.probingID == "t")
            bench.setLink("eth0", isUp: false)
            bench.switchLink("eth0", isUp: true, inPause: 2)
            await bench.runner.checkProbes(of: "t") { await bench.runner.probesHeld("t") }
            #expect(bench.live.transaction == nil && bench.runner.probingID == nil)
            let end = try await bench.history.ended("t")
            #expect(end.state == .confirmed && end.reason?.contains("link:eth0") == true)
            #expect(try bench.setting == "tried")
        }
    }

    @Test("Probes that hold cannot confirm a change that the store does not take; they start again")
    func unconfirmed() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            bench.setLink("eth0", isUp: true)
            try await bench.set("tried", id: "t", until: ["link:eth0"])
            bench.fail(true)
            bench.switchLink("eth0", isUp: true, inPause: 1, last: 3)
            await bench.runner.checkProbes(of: "t") { await bench.runner.probesHeld("t") }
            let running = try #require(bench.live.transaction)
            #expect(running.machine.state == .awaitingConfirm && running.trial.note == nil)
            #expect(bench.runner.probingID == "t")
            bench.fail(false)
            bench.switchLink("eth0", isUp: true, inPause: 1)
            await bench.runner.checkProbes(of: "t") { await bench.runner.probesHeld("t") }
            #expect(bench.live.transaction == nil)
        }
    }

    @Test("Probes that never hold leave the change to its deadline, which names them")
    func missing() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            bench.setLink("eth0", isUp: true)
            try await bench.set("tried", id: "t", until: ["link:eth0"])
            bench.setLink("eth0", isUp: false)
            bench.switchLink("eth0", isUp: false, inPause: 1, last: 2)
            await bench.runner.checkProbes(of: "t") { await bench.runner.probesHeld("t") }
            #expect(bench.live.transaction?.trial.probes?.reports.map(\.state) == [.fails])
            bench.advance(by: .milliseconds(APILimits.probeWindow + 1))
            // The window has ended: probes that hold now come too late.
            #expect(await bench.runner.probesHeld("t"))
            #expect(bench.live.transaction != nil)
            await bench.runner.wake()
            #expect(bench.live.transaction == nil)
            #expect(try await bench.history.ended("t").reason?.contains("link:eth0") == true)
            #expect(await bench.runner.probesHeld("t"), "no further checks are needed")
        }
    }

    @Test("Where no probe held before the change, all are waited for; else those that did not are ignored")
    func before() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            bench.setLink("eth0", isUp: false)
            let alone = try await bench.set("tried", id: "t", until: ["link:eth0"])
            #expect(alone.probes?.map(\.state) == [.waiting])
            bench.switchLink("eth0", isUp: true, inPause: 1)
            await bench.runner.checkProbes(of: "t") { await bench.runner.probesHeld("t") }
            #expect(try bench.setting == "tried" && bench.live.transaction == nil)
            let both = try await bench.set("next", id: "u", until: ["link:eth0", "address:203.0.113.9"])
            #expect(both.probes?.map(\.state) == [.waiting, .ignored])
            bench.switchLink("eth0", isUp: true, inPause: 1)
            await bench.runner.checkProbes(of: "u") { await bench.runner.probesHeld("u") }
            #expect(try bench.setting == "next" && bench.live.transaction == nil)
        }
    }

    @Test("An edit that is made while probes are checked before the change is not overwritten")
    func meanwhile() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("mine")
            let file = bench.directory
            bench.live.services.prober.follow {
                _ = try? file.write("theirs\n", to: "root/etc/hostname")
                return LinkTable(
                    links: [LinkRecord(index: 2, name: "eth0", state: .up, carrier: true, flags: [.up])], addresses: [])
            }
            #expect(await refusal { try await bench.set("other", until: ["link:eth0"]) } == "InvalidValue system")
            #expect(try bench.name == "theirs\n" && bench.setting == "mine")
            #expect(bench.live.state.reference.generation == 1)
        }
    }

    @Test("A check of another change, or of one that has ended, does nothing")
    func others() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            bench.setLink("eth0", isUp: true)
            try await bench.set("tried", id: "t", until: ["link:eth0"])
            await bench.runner.checkProbes(of: "u") { await bench.runner.probesHeld("u") }
            #expect(await bench.runner.probesHeld("u"))
            #expect(bench.live.transaction?.machine.state == .awaitingConfirm)
        }
    }

    @Test(
        "Probes that can never hold here, or are no probes, refuse the change before anything happens",
        arguments: ["link:absent", "command:absent", "nonsense"])
    func impossible(_ probe: String) async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            #expect(await refusal { try await bench.set("tried", id: "t", until: [probe]) } == "InvalidValue probe")
            #expect(try bench.name == "factory\n")
            #expect(bench.live.transaction == nil && bench.commits == 0)
        }
    }
}

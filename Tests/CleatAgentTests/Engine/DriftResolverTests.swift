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

/// The ways in which outside edits are overwritten or adopted, and what is refused, without a process.
@Suite struct DriftResolverTests {
    /// Runs a test in which the host name was set and then edited outside.
    private static func withEdit(
        _ setup: EngineBench.Setup = .standard, _ body: @escaping @Sendable (EngineBench) async throws -> Void
    ) async throws {
        try await EngineBench.with(setup) { (bench: EngineBench) async throws in
            try await bench.set("pump")
            try bench.edit("edited\n")
            try await body(bench)
        }
    }

    private static func terms(_ window: Int64 = 60_000) throws -> TrialTerms {
        try TrialTerms(confirm: window, until: nil, known: ProbeSet())
    }

    // MARK: Reapply

    @Test(
        "A reapply writes what the settings say to the named resources, or to all",
        arguments: [["/etc/hostname"], nil as [String]?])
    func reapplied(_ names: [String]?) async throws {
        try await Self.withEdit { (bench: EngineBench) async throws in
            let reply = try await bench.drifts.reapply(.init(names: names), nil, author: EngineBench.root, cause: nil)
            #expect(reply.drift.isEmpty && reply.results.contains { $0.state == .applied } && reply.state == nil)
            #expect(try bench.name == "pump\n" && bench.live.state.reference.generation == 1)
            #expect(try await bench.isCoherent())
        }
    }

    @Test("A reapply on trial is a generation without changes: an abort restores the edit", arguments: [true, false])
    func reappliedOnTrial(isKept: Bool) async throws {
        try await Self.withEdit { (bench: EngineBench) async throws in
            let request = SystemInterface.Reapply.Parameters(names: ["/etc/hostname"], id: "r", confirm: 60_000)
            let reply = try await bench.drifts.reapply(request, try Self.terms(), author: EngineBench.root, cause: nil)
            #expect(reply.state == .pending && reply.generation == 2 && reply.id == "r")
            #expect(try bench.name == "pump\n")
            let again = try await bench.drifts.reapply(request, try Self.terms(), author: EngineBench.root, cause: nil)
            #expect(again.state == .pending && again.generation == 2)
            if isKept {
                _ = try await bench.runner.confirm("r")
                #expect(try bench.name == "pump\n")
                #expect(bench.reconciler.status.drift.isEmpty)
            } else {
                _ = try await bench.runner.abort("r", author: EngineBench.root)
                #expect(try bench.name == "edited\n")
                #expect(bench.reconciler.status.drift.map(\.name) == ["/etc/hostname"])
            }
        }
    }

    @Test("A reapply on trial with nothing to write is no change; one that fails is reverted")
    func reapplyFault() async throws {
        try await Self.withEdit(.running) { (bench: EngineBench) async throws in
            bench.kernel.fail([.setHostName])
            bench.kernel.setOutside(name: "outside")
            let request = SystemInterface.Reapply.Parameters(confirm: 60_000)
            #expect(
                await refusal {
                    _ = try await bench.drifts.reapply(request, try Self.terms(), author: EngineBench.root, cause: nil)
                } == "NotApplied")
            #expect(try bench.name == "edited\n" && bench.live.transaction == nil)
            bench.kernel.fail([])
            _ = try await bench.drifts.reapply(.init(), nil, author: EngineBench.root, cause: nil)
            #expect(try bench.name == "pump\n" && bench.kernel.name == "pump")
            let idle = try await bench.drifts.reapply(request, try Self.terms(), author: EngineBench.root, cause: nil)
            #expect(idle.state == .unchanged && bench.live.transaction == nil)
        }
    }

    @Test("Names that have no drift, and too many, are refused by both verbs, and nothing is written")
    func names() async throws {
        try await Self.withEdit { (bench: EngineBench) async throws in
            let cases = [
                (["/etc/hosts"], "InvalidValue name"), (["/etc/hostname", "../x"], "InvalidValue name"),
                ([""], "InvalidValue name"), (Array(repeating: "/etc/hostname", count: 4_097), "TooManyChanges"),
            ]
            for (names, code) in cases {
                for terms in [nil, try Self.terms()] {
                    #expect(
                        await refusal {
                            _ = try await bench.drifts.reapply(
                                .init(names: names), terms, author: EngineBench.root, cause: nil)
                        } == code)
                    #expect(
                        await refusal {
                            _ = try await bench.drifts.adopt(
                                .init(names: names), terms, author: EngineBench.root, cause: nil)
                        } == code)
                }
            }
            #expect(try bench.name == "edited\n")
        }
    }

    @Test("While a change is on trial nothing is reapplied or adopted")
    func pending() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            for terms in [nil, try Self.terms()] {
                #expect(
                    await refusal {
                        _ = try await bench.drifts.reapply(.init(), terms, author: EngineBench.root, cause: nil)
                    } == "TransactionPending")
                #expect(
                    await refusal {
                        _ = try await bench.drifts.adopt(.init(), terms, author: EngineBench.root, cause: nil)
                    } == "TransactionPending")
            }
        }
    }

    @Test(
        "An id or a comment without a trial is refused", arguments: [("id" as String?, nil as String?), (nil, "why")])
    func words(id: String?, comment: String?) async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            let engine = bench.engine
            #expect(
                await refusal {
                    _ = try await engine.reapply(
                        .init(id: id, comment: comment), author: EngineBench.root, cause: nil)
                } == "InvalidValue confirm")
            #expect(
                await refusal {
                    _ = try await engine.adopt(.init(id: id, comment: comment), author: EngineBench.root, cause: nil)
                } == "InvalidValue confirm")
        }
    }

    // MARK: Adopt

    @Test("An edit that is the value of a setting becomes it, at once or on trial", arguments: [false, true])
    func adopted(isTrial: Bool) async throws {
        try await Self.withEdit { (bench: EngineBench) async throws in
            let terms = isTrial ? try Self.terms() : nil
            let request = SystemInterface.Adopt.Parameters(names: ["/etc/hostname"], id: isTrial ? "a" : nil)
            let reply = try await bench.drifts.adopt(request, terms, author: EngineBench.root, cause: nil)
            #expect(reply.generation == 2 && reply.changes.map(\.new) == ["edited"] && reply.drift.isEmpty)
            #expect(reply.state == (isTrial ? .pending : nil))
            #expect(try bench.setting == "edited" && bench.name == "edited\n")
            if isTrial {
                let again = try await bench.drifts.adopt(request, terms, author: EngineBench.root, cause: nil)
                #expect(again.state == .pending)
                _ = try await bench.runner.abort("a", author: EngineBench.root)
                #expect(try bench.setting == "pump" && bench.name == "edited\n", "the edit is what was captured")
            }
            #expect(try await bench.isCoherent())
        }
    }

    @Test("An edit that is no value of a setting is refused; as it is, it is kept, but not on trial")
    func asIs() async throws {
        try await Self.withEdit { (bench: EngineBench) async throws in
            try bench.edit("two words\n")
            #expect(
                await refusal {
                    _ = try await bench.drifts.adopt(.init(), nil, author: EngineBench.root, cause: nil)
                } == "InvalidValue system")
            #expect(
                await refusal {
                    _ = try await bench.drifts.adopt(
                        .init(asIs: true), try Self.terms(), author: EngineBench.root, cause: nil)
                } == "InvalidValue system")
            let reply = try await bench.drifts.adopt(.init(asIs: true), nil, author: EngineBench.root, cause: nil)
            #expect(reply.unchanged == ["/etc/hostname"] && reply.changes.isEmpty && reply.drift.isEmpty)
            #expect(try bench.setting == "pump" && bench.name == "two words\n")
            #expect(try await bench.isCoherent())
            // It stays until its setting changes.
            try await bench.set("other")
            #expect(try bench.name == "other\n")
        }
    }

    @Test("Edits of two resources of one setting must agree")
    func disagreeing() async throws {
        try await Self.withEdit(.running) { (bench: EngineBench) async throws in
            bench.kernel.setOutside(name: "kernel")
            #expect(
                await refusal {
                    _ = try await bench.drifts.adopt(.init(), nil, author: EngineBench.root, cause: nil)
                } == "InvalidValue system")
            #expect(try bench.setting == "pump" && bench.live.state.reference.generation == 1)
            let reply = try await bench.drifts.adopt(
                .init(names: ["/etc/hostname"]), nil, author: EngineBench.root, cause: nil)
            #expect(reply.changes.map(\.new) == ["edited"])
            #expect(bench.kernel.name == "edited")
        }
    }

    @Test("An edit that the schema refuses is not adopted")
    func refusedValue() async throws {
        try await Self.withEdit { (bench: EngineBench) async throws in
            try bench.edit("under_score\n")
            #expect(
                await refusal {
                    _ = try await bench.drifts.adopt(.init(), nil, author: EngineBench.root, cause: nil)
                }.hasPrefix("InvalidValue"))
            #expect(try bench.setting == "pump" && bench.name == "under_score\n")
        }
    }

    @Test("A missing file, and one that cannot be read, are not adopted", arguments: [true, false])
    func impossible(isMissing: Bool) async throws {
        try await Self.withEdit { (bench: EngineBench) async throws in
            if isMissing {
                try Files.remove(bench.directory.appending("root/etc/hostname"))
            } else {
                try bench.obstruct()
            }
            for asIs in [false, true] {
                #expect(
                    await refusal {
                        _ = try await bench.drifts.adopt(
                            .init(asIs: asIs), nil, author: EngineBench.root, cause: nil)
                    } == "InvalidValue system")
            }
        }
    }

    @Test("Operators adopt no value of a setting that is reserved for root, and none that not all users may read")
    func rights() async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            bench.kernel["/proc/sys/fs/leases-enable"] = "100"
            bench.kernel["/sys/class/net/lo/hidden"] = "a"
            try await bench.set("kernel/sysctl/fs.leases-enable", to: 200)
            bench.kernel["/proc/sys/fs/leases-enable"] = "300"
            #expect(
                await refusal {
                    _ = try await bench.drifts.adopt(.init(), nil, author: EngineBench.op, cause: nil)
                } == "PermissionDenied")
            let reply = try await bench.drifts.adopt(.init(), nil, author: EngineBench.root, cause: nil)
            #expect(reply.changes.map(\.new) == [300])
            try await bench.set("kernel/attributes/class~1net~1lo~1hidden", to: "b")
            bench.kernel["/sys/class/net/lo/hidden"] = "c"
            await bench.reconciler.inspect()
            let shown = await bench.drifts.described(bench.reconciler.status.drift)
            #expect(shown.map(\.value) == [nil])
            #expect(
                await refusal {
                    _ = try await bench.drifts.adopt(.init(), nil, author: EngineBench.root, cause: nil)
                } == "InvalidValue system")
        }
    }

    @Test("An interface's difference is adopted as its setting")
    func interface() async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            bench.kernel.plug("eth0")
            try await bench.set("network/interfaces/eth0/mtu", to: 1_400)
            #expect(bench.kernel.mtu(of: "eth0") == 1_400)
            bench.kernel.set(mtu: 1_300, of: "eth0")
            let reply = try await bench.drifts.adopt(.init(), nil, author: EngineBench.root, cause: nil)
            #expect(reply.changes.map(\.new) == [1_300] && reply.drift.isEmpty)
            #expect(bench.kernel.mtu(of: "eth0") == 1_300)
        }
    }

    @Test("What the store does not take is neither adopted nor forgotten")
    func fault() async throws {
        try await Self.withEdit { (bench: EngineBench) async throws in
            bench.fail(true)
            #expect(
                await refusal {
                    _ = try await bench.drifts.adopt(.init(), nil, author: EngineBench.root, cause: nil)
                } == "StoreFailed input_output")
            #expect(try bench.setting == "pump" && bench.name == "edited\n")
            bench.fail(false)
            await bench.reconciler.inspect()
            #expect(bench.reconciler.status.drift.map(\.name) == ["/etc/hostname"])
        }
    }
}

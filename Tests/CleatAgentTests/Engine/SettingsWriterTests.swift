import CleatAPI
import CleatAdapters
import CleatHash
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

/// The refusals and faults of changes of settings, without a process.
@Suite struct SettingsWriterTests {
    typealias Request = SettingsInterface.Set.Parameters

    // MARK: Refused requests

    @Test(
        "A request that cannot be read is refused by what is wrong with it",
        arguments: [
            (Request(changes: [.init(path: "system//hostname", value: "x")]), "InvalidPath"),
            (Request(changes: [.init(path: "system/hostnam", value: "x")]), "UnknownSetting"),
            (Request(changes: [.init(path: "app/count", value: "x")]), "InvalidValue type"),
            (Request(changes: [.init(path: "app/count", value: 10)]), "InvalidValue range"),
            (
                Request(changes: [.init(path: "app/count", value: 2), .init(path: "app/count", value: 3)]),
                "InvalidValue same_path"
            ),
            (Request(changes: [.init(path: "app/names", operation: .add)]), "InvalidValue type"),
            (Request(changes: [.init(path: "app/count", value: 2)], id: "no id"), "InvalidValue id"),
            (
                Request(changes: [.init(path: "app/count", value: 2)], comment: String(repeating: "c", count: 1_025)),
                "InvalidValue comment"
            ),
            (Request(changes: [.init(path: "app/count", value: 2)], confirm: 1), "InvalidValue range"),
            (
                Request(changes: [.init(path: "app/count", value: 2)], volatile: true, confirm: 60_000),
                "InvalidValue confirm"
            ),
            (
                Request(changes: [.init(path: "app/count", value: 2)], volatile: true, until: ["link:eth0"]),
                "InvalidValue probe"
            ),
            (
                Request(changes: [.init(path: "app/count", value: 2)], confirm: 60_000, rehearse: true),
                "InvalidValue rehearse"
            ),
            (
                Request(changes: [.init(path: "app/count", value: 2)], check: true, rehearse: true),
                "InvalidValue rehearse"
            ),
            (
                Request(changes: [.init(path: "app/count", value: 2)], until: Array(repeating: "link:eth0", count: 17)),
                "InvalidValue probe"
            ),
            (Request(changes: Array(repeating: .init(path: "app/count", value: 2), count: 4_097)), "TooManyChanges"),
        ])
    func unreadable(_ request: Request, _ code: String) async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            #expect(await refusal { try await bench.make(request) } == code)
            #expect(bench.live.state.reference.generation == 0 && bench.commits == 0)
        }
    }

    @Test("A change that expects another state is a conflict, and only that state is taken")
    func conflict() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("app/count", to: 1)
            let present = bench.live.state.reference
            for expected in [
                GenerationRef(store: present.store, generation: 0), GenerationRef(store: present.store, generation: 2),
                GenerationRef(store: "other", generation: 1),
            ] {
                let request = Request(changes: [.init(path: "app/count", value: 2)], expect: expected)
                #expect(await refusal { try await bench.make(request) } == "Conflict")
                #expect(await refusal { _ = try await bench.reset(.init(expect: expected)) } == "Conflict")
                #expect(await refusal { _ = try await bench.rollback(.init(to: 0, expect: expected)) } == "Conflict")
            }
            #expect(try bench.value("app/count") == 1)
            try await bench.make(.init(changes: [.init(path: "app/count", value: 2)], expect: present))
            #expect(try bench.value("app/count") == 2)
        }
    }

    @Test(
        "A retry with its id has the former answer; other changes, another user or a rehearsal reuse the id",
        arguments: [false, true])
    func retried(isVolatile: Bool) async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let request = Request(changes: [.init(path: "app/count", value: 2)], id: "mine", volatile: isVolatile)
            let made = try await bench.make(request)
            let again = try await bench.make(request)
            #expect(made.state == .confirmed && again.state == .repeated)
            #expect(again.generation == made.generation && again.changes.map(\.path) == ["app/count"])
            #expect(again.overtaken == nil && (again.volatile == true) == isVolatile)
            var other = request
            other.changes = [.init(path: "app/count", value: 3)]
            #expect(await refusal { try await bench.make(other) } == "IdReused")
            #expect(await refusal { try await bench.make(request, by: EngineBench.op) } == "IdReused")
            if !isVolatile {
                var rehearsed = request
                rehearsed.rehearse = true
                #expect(await refusal { try await bench.make(rehearsed) } == "IdReused")
            }
            other.id = nil
            try await bench.make(other)
            #expect(try await bench.make(request).overtaken?.contains("app/count") == true)
        }
    }

    @Test("A retry of a change on trial, or of a reverted one, has its state")
    func retriedTrial() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            let pending = try await bench.set("tried", id: "t", confirm: 60_000)
            #expect(pending.state == .pending && pending.window == 60_000)
            _ = try await bench.runner.abort("t", author: EngineBench.root)
            #expect(try await bench.set("tried", id: "t", confirm: 60_000).state == .reverted)
        }
    }

    @Test("A retry of a change whose generation is in a state of a later release is refused")
    func unknownState() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump", id: "t")
            let hash = try #require(try await bench.store.record(id: "t")?.hash)
            try await bench.store.close(.now(bootID: "boot"))
            let place = bench.directory.path.appending("store")
            try EngineBench.edit(place, "UPDATE generations SET state = 'pondered' WHERE number = 1")
            let store = try await SettingsStore.open(directory: place, executor: ThreadExecutor(name: "again"))
            let next = try await bench.nextRun(store: store)
            #expect(
                await refusal { _ = try await next.writer.formerAnswer(to: "t", hash: hash) } == "StoreFailed state")
            #expect(await refusal { _ = try await next.history.ended("t") } == "StoreFailed state")
            try await store.close(.now(bootID: "boot"))
        }
    }

    @Test("While a change is on trial, nothing else is made; it is checked and planned all the same")
    func pending() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            let request = Request(changes: [.init(path: "app/count", value: 2)])
            var rehearsed = request
            rehearsed.rehearse = true
            for one in [request, rehearsed] {
                #expect(await refusal { try await bench.make(one) } == "TransactionPending")
            }
            #expect(await refusal { _ = try await bench.reset(.init()) } == "TransactionPending")
            #expect(await refusal { _ = try await bench.rollback(.init(to: 0)) } == "TransactionPending")
            var checked = request
            checked.check = true
            #expect(try await bench.make(checked).state == .checked)
            #expect(try await bench.reset(.init(plan: true)).plan != nil)
        }
    }

    // MARK: Rights

    @Test(
        "Operators change neither the agent's own settings, nor those reserved for root, by any way",
        arguments: [("agent/log/level", "debug" as JSONValue), ("kernel/sysctl/fs.leases-enable", 1 as JSONValue)])
    func rights(path: String, value: JSONValue) async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            bench.kernel["/proc/sys/fs/leases-enable"] = "0"
            #expect(await refusal { try await bench.set(path, to: value, by: EngineBench.op) } == "PermissionDenied")
            let volatile = Request(changes: [.init(path: path, value: value)], volatile: true)
            #expect(await refusal { try await bench.make(volatile, by: EngineBench.op) } == "PermissionDenied")
            try await bench.set(path, to: value)
            #expect(await refusal { _ = try await bench.reset(.init(), by: EngineBench.op) } == "PermissionDenied")
            #expect(
                await refusal { _ = try await bench.rollback(.init(to: 0), by: EngineBench.op) } == "PermissionDenied")
            #expect(try bench.value(path) == value)
            #expect(try await bench.reset(.init()).state == .confirmed)
        }
    }

    @Test(
        "Only who may read a list of secrets edits it; anyone may replace it",
        arguments: [RequestedChange.Operation.add, .remove])
    func secretLists(_ operation: RequestedChange.Operation) async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let edit = Request(changes: [.init(path: "app/secrets", value: "a", operation: operation)])
            #expect(await refusal { try await bench.make(edit, by: EngineBench.op) } == "PermissionDenied")
            let reply = try await bench.set("app/secrets", to: ["b"], by: EngineBench.op)
            #expect(reply.changes.map(\.new) == [nil], "its value is shown to nobody")
            if operation == .add {
                try await bench.make(edit)
                #expect(try bench.value("app/secrets") == ["b", "a"])
            }
            try await bench.make(
                .init(changes: [.init(path: "app/names", value: "n", operation: .add)]), by: EngineBench.op)
            #expect(try bench.value("app/names") == ["n"])
        }
    }

    @Test("A lock refuses a change of its path, and of no other")
    func locked() async throws {
        let setup = EngineBench.Setup(
            schema: AppSettings.schema,
            sources: { schema in
                SettingsSources(
                    schema: schema,
                    locks: [
                        SettingLock(
                            path: try? SettingPath("app/count"), layer: .vendor, file: "lock.json5", reason: nil)
                    ])
            })
        try await EngineBench.with(setup) { (bench: EngineBench) async throws in
            #expect(await refusal { try await bench.set("app/count", to: 2) }.hasPrefix("SettingLocked"))
            try await bench.set("app/value", to: "x")
            #expect(try bench.value("app/value") == "x")
        }
    }

    // MARK: The system

    @Test("A change that would overwrite an outside edit is refused, and what the edit holds stays")
    func edited() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            try bench.edit("edited\n")
            #expect(await refusal { try await bench.set("other") } == "InvalidValue system")
            #expect(await refusal { try await bench.set("other", confirm: 60_000) } == "InvalidValue system")
            #expect(await refusal { _ = try await bench.reset(.init()) } == "InvalidValue system")
            #expect(try bench.name == "edited\n")
            #expect(bench.live.state.reference.generation == 1)
        }
    }

    @Test("A kernel value that another program has set is overwritten, with a note")
    func overwritten() async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            bench.kernel["/proc/sys/vm/swappiness"] = "60"
            try await bench.set("kernel/sysctl/vm.swappiness", to: 10)
            #expect(bench.kernel["/proc/sys/vm/swappiness"] == "10")
            bench.kernel["/proc/sys/vm/swappiness"] = "33"
            let reply = try await bench.set("kernel/sysctl/vm.swappiness", to: 20)
            #expect(
                reply.results.contains { $0.state == .notApplied && $0.message.contains("/proc/sys/vm/swappiness") })
            #expect(bench.kernel["/proc/sys/vm/swappiness"] == "20")
        }
    }

    @Test(
        "What the system cannot follow is refused before anything happens",
        arguments: [
            ("system/timezone", "Europe/Nowhere" as JSONValue), ("kernel/sysctl/no.such", 1 as JSONValue),
            ("kernel/sysctl/kernel.hostname", "x" as JSONValue),
            ("network/interfaces/eth0/privacy", true as JSONValue),
            ("network/interfaces/eth0/dhcp", true as JSONValue),
            ("documents/ca.pem", JSONValue.string("sha256:" + String(repeating: "0", count: 64))),
        ])
    func unfollowed(path: String, value: JSONValue) async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            #expect(await refusal { try await bench.set(path, to: value) }.hasPrefix("InvalidValue"))
            for plan in [true, false] {
                let request = Request(changes: [.init(path: path, value: value)], check: !plan, plan: plan)
                #expect(await refusal { try await bench.make(request) }.hasPrefix("InvalidValue"))
            }
            #expect(bench.live.state.reference.generation == 0)
        }
    }

    @Test("A document needs its content, and outlasts the boot; an upload must be named")
    func documents() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            let bytes = Array("a certificate\n".utf8)
            let value = JSONValue.string(DocumentsAdapter.value(SHA256.hexadecimal(of: bytes)))
            func make(_ path: String, volatile: Bool = false, _ uploads: UploadedContents) async throws {
                let request = Request(changes: [.init(path: path, value: value)], volatile: volatile)
                let plan = try SettingsPlan(request)
                let order = try ChangeOrder(
                    request, plan, author: EngineBench.root, cause: nil, caller: .unknown, probes: ProbeSet())
                _ = try await bench.writer.set(plan, order, uploads: uploads)
            }
            var uploads = UploadedContents()
            uploads.add(bytes, of: "u")
            #expect(await refusal { try await make("documents/ca.pem", UploadedContents()) } == "InvalidValue system")
            #expect(
                await refusal { try await make("documents/ca.pem", volatile: true, uploads) } == "InvalidValue system")
            var unnamed = uploads
            unnamed.add([1], of: "v")
            #expect(await refusal { try await make("documents/ca.pem", unnamed) } == "InvalidValue upload")
            var refused = uploads
            refused.refuse("w", "is not an upload of yours")
            #expect(await refusal { try await make("documents/ca.pem", refused) } == "InvalidValue upload")
        }
    }

    // MARK: Volatile values

    @Test("Volatile values that cannot be saved are not in force, and nothing is written to the system")
    func volatileFault() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try bench.directory.makeDirectory("volatile.json")
            let request = Request(changes: [.init(path: "system/hostname", value: "brief")], volatile: true)
            #expect(await refusal { try await bench.make(request) } == "StoreFailed volatile")
            #expect(try bench.setting != "brief" && bench.name == "factory\n" && bench.commits == 0)
            #expect(bench.live.state.volatile.settings.isEmpty && bench.live.state.volatile.transactions.isEmpty)
        }
    }

    @Test("Volatile values that cannot be applied are reverted, in the system, in memory and in the file")
    func volatileUnapplied() async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            try await bench.set("pump")
            bench.kernel.fail([.setHostName])
            let request = Request(changes: [.init(path: "system/hostname", value: "brief")], volatile: true)
            #expect(await refusal { try await bench.make(request) } == "NotApplied")
            #expect(try bench.setting == "pump" && bench.name == "pump\n" && bench.kernel.name == "pump")
            #expect(bench.live.state.volatile.settings.isEmpty)
            #expect(try !bench.directory.read("volatile.json").contains("brief"))
            bench.kernel.fail([])
            #expect(try await bench.make(request).state == .confirmed)
            #expect(try bench.name == "brief\n" && bench.directory.read("volatile.json").contains("brief"))
            #expect(bench.live.state.reference.generation == 1, "no generation records it")
        }
    }

    @Test("Volatile values that can be neither applied nor reverted say so, and fail no later change")
    func volatileUnreverted() async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            bench.kernel["/proc/sys/vm/swappiness"] = "60"
            bench.kernel["/proc/sys/net/ipv4/ip_forward"] = "0"
            // The first value is written; the second one fails, and so does the restoration of the first.
            bench.kernel.fail(writesAfter: 1)
            let request = Request(
                changes: [
                    .init(path: "kernel/sysctl/net.ipv4.ip_forward", value: 1),
                    .init(path: "kernel/sysctl/vm.swappiness", value: 10),
                ], volatile: true)
            #expect(await refusal { try await bench.make(request) } == "NotReverted")
            #expect(bench.live.transaction == nil && bench.live.state.volatile.settings.isEmpty)
            bench.kernel.fail([])
            #expect(try await bench.make(request).state == .confirmed)
        }
    }

    @Test("Volatile changes are not rehearsed")
    func volatileRehearsal() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            let request = Request(
                changes: [.init(path: "system/hostname", value: "brief")], volatile: true, rehearse: true)
            #expect(await refusal { try await bench.make(request) } == "InvalidValue rehearse")
        }
    }

    // MARK: The store

    @Test("A change of nothing but settings that the store does not take is not in force")
    func unstored() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            bench.fail(true)
            #expect(await refusal { try await bench.set("app/count", to: 2) } == "StoreFailed input_output")
            #expect(try bench.value("app/count") == nil && bench.commits == 0)
            #expect(bench.live.storeFailure != nil)
            bench.fail(false)
            #expect(try await bench.set("app/count", to: 2).generation == 1)
            #expect(bench.live.storeFailure == nil)
        }
    }

    // MARK: Reset and rollback

    @Test("A reset removes what is below a known prefix, and refuses an unknown one")
    func reset() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("app/count", to: 2)
            try await bench.set("pump")
            #expect(await refusal { _ = try await bench.reset(.init(prefix: "nowhere")) } == "UnknownSetting")
            #expect(await refusal { _ = try await bench.reset(.init(prefix: "//")) } == "InvalidPath")
            #expect(await refusal { _ = try await bench.reset(.init(id: "no id")) } == "InvalidValue id")
            let reply = try await bench.reset(.init(prefix: "app", id: "r"))
            #expect(reply.changes.map(\.path) == ["app/count"])
            #expect(try bench.value("app/count") == nil && bench.setting == "pump")
            #expect(try await bench.reset(.init(prefix: "app", id: "r")).state == .repeated)
            #expect(await refusal { _ = try await bench.reset(.init(id: "r")) } == "IdReused")
            #expect(try await bench.reset(.init(prefix: "app")).state == .unchanged)
        }
    }

    @Test("A rollback restores an earlier generation; numbers that are none are refused")
    func rollback() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            #expect(await refusal { _ = try await bench.rollback(.init()) } == "UnknownGeneration")
            for name in ["first", "second"] { try await bench.set(name) }
            for number in [-1, 3, Int64.max] {
                #expect(await refusal { _ = try await bench.rollback(.init(to: number)) } == "UnknownGeneration")
            }
            #expect(
                await refusal { _ = try await bench.rollback(.init(comment: String(repeating: "c", count: 1_025))) }
                    == "InvalidValue comment")
            let reply = try await bench.rollback(.init(to: 1, id: "r"))
            #expect(reply.state == .confirmed && reply.generation == 3)
            #expect(try bench.setting == "first" && bench.name == "first\n")
            #expect(try await bench.rollback(.init(to: 1, id: "r")).state == .repeated)
            #expect(await refusal { _ = try await bench.rollback(.init(to: 0, id: "r")) } == "IdReused")
            let checked = try await bench.rollback(.init(to: 0, check: true))
            #expect(checked.state == .checked && checked.changes.map(\.path) == ["system/hostname"])
            #expect(try await bench.rollback(.init(to: 0)).generation == 4)
            #expect(try bench.name == "factory\n")
        }
    }

    @Test("Without a number a rollback reverts the caller's own newest change, unless others came after it")
    func ownRollback() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("app/count", to: 1, by: EngineBench.op)
            try await bench.set("app/count", to: 2)
            #expect(await refusal { _ = try await bench.rollback(.init(), by: EngineBench.op) } == "Conflict")
            #expect(try await bench.rollback(.init()).state == .confirmed)
            #expect(try bench.value("app/count") == 1)
        }
    }

    @Test(
        "A reset of both layers of which one cannot be written leaves both as they were", arguments: ["store", "file"])
    func resetFault(_ fault: String) async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("stored")
            try await bench.set("app/count", to: 1)
            try await bench.make(.init(changes: [.init(path: "system/hostname", value: "brief")], volatile: true))
            let before = try bench.directory.read("volatile.json")
            if fault == "store" {
                bench.fail(true)
            } else {
                try Files.rename(bench.directory.appending("volatile.json"), to: bench.directory.appending("kept"))
                try bench.directory.makeDirectory("volatile.json")
            }
            let code = fault == "store" ? "StoreFailed input_output" : "StoreFailed volatile"
            #expect(await refusal { _ = try await bench.reset(.init(id: "r")) } == code)
            #expect(try bench.setting == "brief" && bench.name == "brief\n" && bench.value("app/count") == 1)
            #expect(bench.live.state.reference.generation == 2)
            if fault == "store" {
                #expect(try bench.directory.read("volatile.json") == before)
                bench.fail(false)
            } else {
                try Files.rename(bench.directory.appending("volatile.json"), to: bench.directory.appending("obstacle"))
            }
            // The id of the reset that failed is free.
            #expect(try await bench.reset(.init(id: "r")).state == .confirmed)
            #expect(try bench.name == "factory\n" && bench.value("app/count") == nil)
            #expect(bench.live.state.volatile.settings.isEmpty)
        }
    }

    @Test("Any earlier state is restored exactly, as a generation of its own, and so is the state before that")
    func everyState() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let steps: [[(String, JSONValue?)]] = [
                [("system/hostname", "one"), ("app/count", 1)],
                [("app/table/a.b", "x"), ("app/count", 2)],
                [("app/count", nil), ("system/hostname", nil)],
                [("app/names", ["a", "b"]), ("system/hostname", "four")],
            ]
            var states = [bench.live.state.settings.committed]
            for step in steps {
                try await bench.make(.init(changes: step.map { .init(path: $0.0, value: $0.1) }))
                states.append(bench.live.state.settings.committed)
            }
            _ = try await bench.reset(.init())
            states.append(bench.live.state.settings.committed)
            var generation = Int64(steps.count + 1)
            for (number, wanted) in states.enumerated() {
                let isOther = wanted != bench.live.state.settings.committed
                let reply = try await bench.rollback(.init(to: Int64(number)))
                generation += isOther ? 1 : 0
                #expect(reply.generation == generation && reply.state == (isOther ? .confirmed : .unchanged))
                #expect(bench.live.state.settings.committed == wanted)
            }
            _ = try await bench.rollback(.init(to: 4))
            _ = try await bench.rollback(.init())
            #expect(bench.live.state.settings.committed == states[5])
        }
    }

    @Test("Without a number a rollback passes over what was reverted or rehearsed")
    func newestInForce() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            func rehearse() async throws {
                try await bench.make(
                    .init(changes: [.init(path: "system/hostname", value: "rehearsed")], rehearse: true))
            }
            func abort(_ id: String) async throws {
                _ = try await bench.runner.abort(id, author: EngineBench.root)
            }
            try await bench.set("bad", id: "t0", confirm: 60_000)
            try await abort("t0")
            #expect(await refusal { _ = try await bench.rollback(.init()) } == "UnknownGeneration")
            for name in ["h1", "h2"] { try await bench.set(name) }
            try await rehearse()
            try await bench.set("bad", id: "t1", confirm: 60_000)
            try await abort("t1")
            try await rehearse()
            #expect(try await bench.rollback(.init(plan: true)).changes.map(\.new) == ["h1"])
            #expect(try await bench.rollback(.init(rehearse: true)).state == .reverted)
            #expect(try await bench.rollback(.init(id: "t2", confirm: 60_000)).changes.map(\.new) == ["h1"])
            try await abort("t2")
            _ = try await bench.rollback(.init())
            #expect(try bench.name == "h1\n")
            // It is a change as any other, so that the state before it comes next.
            try await rehearse()
            _ = try await bench.rollback(.init())
            #expect(try bench.name == "h2\n")
        }
    }

    @Test("A rollback over a setting that no schema knows any more leaves it, and names it")
    func unknownPath() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("app/count", to: 1)
            try await bench.set("pump")
            bench.live.state.settings = bench.live.state.settings.following(SettingsSources(schema: .builtIn))
            let reply = try await bench.rollback(.init(to: 0))
            #expect(reply.changes.map(\.path) == ["system/hostname"])
            #expect(reply.results.contains { $0.state == .notApplied && $0.message.contains("app/count") })
        }
    }

    // MARK: Checks, plans and their limits

    @Test("A check and a plan write nothing; the plan names each step, and what the change would be")
    func plan() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            let change = [RequestedChange(path: "system/hostname", value: "pump")]
            let checked = try await bench.make(.init(changes: change, check: true))
            #expect(checked.state == .checked && checked.plan == nil && checked.results.isEmpty)
            let planned = try await bench.make(.init(changes: change, plan: true))
            #expect(planned.state == .checked && planned.plan?.omitted == nil)
            let step = try #require(planned.plan?.steps.first { $0.resource == "/etc/hostname" })
            #expect(step.diff?.contains("+pump") == true)
            #expect(planned.plan?.connection == .kept)
            #expect(try bench.name == "factory\n" && bench.live.state.reference.generation == 0)
            try await bench.set("pump")
            #expect(try await bench.make(.init(changes: change, plan: true)).state == .unchanged)
        }
    }

    @Test(
        "A resource that cannot be captured is refused by its setting, when it is checked, too",
        arguments: ["make", "check", "plan"])
    func uncaptured(_ verb: String) async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try bench.obstruct()
            let request = Request(
                changes: [.init(path: "system/hostname", value: "pump")], check: verb == "check", plan: verb == "plan")
            #expect(await refusal { try await bench.make(request) } == "InvalidValue system")
        }
    }

    @Test("Changes that are too much for one reply are counted; they are made all the same", arguments: [true, false])
    func limits(isChecked: Bool) async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let long = String(repeating: "v", count: 60_000)
            let request = Request(
                changes: (0..<16).map { .init(path: "app/table/k\($0)", value: .string(long)) }, check: isChecked)
            let reply = try await bench.make(request)
            #expect(reply.state == (isChecked ? .checked : .confirmed))
            let omitted = try #require(reply.omitted)
            #expect(omitted > 0 && reply.changes.count + omitted == 16)
            #expect(JSONValue.object(reply.wire).canonicalText.utf8.count < 1 << 20)
        }
    }

    @Test("The differences of a plan are left out first, then its steps, and both are said")
    func planLimits() {
        let diff = String(repeating: "d", count: 1_000)
        let steps = (0..<100).map { number in
            PlannedStep(adapter: "a", kind: "file", resource: "/f\(number)", action: .change, diff: diff)
        }
        var plan = ChangePlan(actions: [], links: [], notes: [])
        plan.fill(steps, differenceBytes: 10_000, bytes: 20_000)
        let whole = plan.steps.count { $0.diff != nil }
        #expect(whole > 0 && whole < 11)
        #expect(plan.steps.count > whole && plan.steps.dropFirst(whole).allSatisfy { $0.diff == nil && $0.note != nil })
        #expect(plan.omitted == 100 - plan.steps.count)
        var short = ChangePlan(actions: [], links: [], notes: [])
        short.fill(Array(steps.prefix(2)), differenceBytes: 10_000, bytes: 20_000)
        #expect(short.omitted == nil && short.steps.count == 2)
    }
}

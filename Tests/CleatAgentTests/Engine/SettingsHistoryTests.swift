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

/// The answers about the history of the settings, without a process.
@Suite struct SettingsHistoryTests {
    @Test("The log is in pages, newest first; its last page has no next one, and an unknown id no generation")
    func log() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            for name in ["a", "b", "c"] { try await bench.set(name, id: "id-\(name)") }
            let first = try await bench.history.log(before: nil, limit: 2)
            #expect(first.generations.map(\.number) == [3, 2] && first.next == 2)
            let last = try await bench.history.log(before: first.next, limit: 2)
            #expect(last.generations.map(\.number) == [1] && last.next == nil)
            #expect(try await bench.history.log(before: 1, limit: 2).generations.isEmpty)
            #expect(try await bench.history.log(id: "id-b").generations.map(\.number) == [2])
            #expect(try await bench.history.log(id: "none").generations.isEmpty)
            let made = try #require(first.generations.first)
            #expect(made.author == "root" && made.changes.map(\.new) == ["c"] && made.state == nil)
            #expect(made.results?.contains { $0.state == .applied } == true)
        }
    }

    @Test("The log shows what is on trial, reverted and reverts")
    func states() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("tried", id: "t", confirm: 60_000)
            #expect(try await bench.history.log(id: "t").generations.map(\.state) == [.pending])
            _ = try await bench.runner.abort("t", author: EngineBench.root)
            let all = try await bench.history.log(before: nil, limit: 9).generations
            #expect(all.map(\.number) == [2, 1] && all.map(\.state) == [nil, .reverted])
        }
    }

    @Test("A difference is between any two generations; without numbers it is the newest change")
    func diff() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("a")
            try await bench.set("app/count", to: 1)
            try await bench.set("b")
            let newest = try await bench.history.diff(from: nil, to: nil)
            #expect(newest.from == 2 && newest.to == 3 && newest.changes.map(\.new) == ["b"])
            let all = try await bench.history.diff(from: 0, to: 3)
            #expect(all.changes.map(\.path) == ["app/count", "system/hostname"])
            let back = try await bench.history.diff(from: 3, to: 1)
            #expect(back.changes.map(\.new) == [nil, "a"])
            #expect(try await bench.history.diff(from: 2, to: 2).changes.isEmpty)
            for (from, to) in [(-1, 3), (0, 4), (9, nil), (Int64.min, .max)] as [(Int64?, Int64?)] {
                #expect(
                    await refusal { _ = try await bench.history.diff(from: from, to: to) } == "UnknownGeneration")
            }
        }
    }

    @Test("A secret that was set again with its value is a difference like any other, without values")
    func secretDiff() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("app/secret", to: "a", by: EngineBench.op)
            try await bench.set("app/secret", to: "a", by: EngineBench.op)
            let found = try await bench.history.diff(from: 1, to: 2)
            #expect(found.changes.map(\.path) == ["app/secret"])
            #expect(found.changes.allSatisfy { $0.old == nil && $0.new == nil })
        }
    }

    @Test("A pruned generation is unknown, and the log ends before it")
    func pruned() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            for number in 1...8 { try await bench.set("name\(number)") }
            var limits = StoreLimits()
            limits.generations = StoreLimits.fewestGenerations
            try await bench.store.setLimits(limits)
            #expect(await refusal { _ = try await bench.history.diff(from: 1, to: 8) } == "UnknownGeneration")
            #expect(await refusal { _ = try await bench.rollback(.init(to: 1)) } == "UnknownGeneration")
            let page = try await bench.history.log(before: nil, limit: 9)
            #expect(page.next == nil && page.generations.count <= StoreLimits.fewestGenerations)
        }
    }

    @Test("A path's layers are named, the highest first, with the author and the value after it is unset")
    func why() async throws {
        let setup = EngineBench.Setup(
            schema: AppSettings.schema,
            sources: { schema in
                SettingsSources(
                    schema: schema,
                    vendor: [SettingsFile(file: "defaults.json5", values: ["app": ["value": "vendor"]])])
            })
        try await EngineBench.with(setup) { (bench: EngineBench) async throws in
            let path = try SettingPath("app/value")
            try await bench.make(.init(changes: [.init(path: path.text, value: "mine")], comment: "because"))
            try await bench.make(.init(changes: [.init(path: path.text, value: "brief")], volatile: true))
            let reply = try await bench.history.why(path, reveal: false)
            #expect(reply.layers.map(\.layer) == [.volatile, .committed, .vendor, .schemaDefault])
            #expect(reply.layers.map(\.value) == ["brief", "mine", "vendor", "plain"])
            #expect(reply.layers.map(\.inForce) == [true, false, false, false])
            #expect(reply.layers[1].generation == 1 && reply.layers[1].author == "root")
            #expect(reply.layers[1].comment == "because" && reply.layers[2].file == "defaults.json5")
            #expect(reply.setting.value == "brief" && reply.unset?.layer == .volatile)
            #expect(
                await refusal { _ = try await bench.history.why(try SettingPath("app/valu"), reveal: false) }
                    == "UnknownSetting")
        }
    }

    @Test("The layers of a large group are named while a change is made, and hold up none", .timeLimit(.minutes(1)))
    func whyOfMany() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let changes = (0..<2_000).map { RequestedChange(path: "app/table/k\($0)", value: .string("v\($0)")) }
            let engine = bench.engine
            _ = try await engine.set(.init(changes: changes), author: EngineBench.root, cause: nil)
            let group = try SettingPath("app/table")
            let reply = try await engine.writeLock.withLock { try await engine.why(group, reveal: false) }
            #expect(reply.generation == 1 && reply.layers.map(\.layer) == [.committed] && reply.unset == nil)
            #expect(reply.layers[0].value?.objectValue?.count == 2_000 && reply.layers[0].value?["k7"] == "v7")
            #expect(reply.setting.value == reply.layers[0].value && reply.layers[0].generation == nil)
        }
    }

    @Test("An empty entry over a large one of the vendor has its change, and none once a trial has set a part of it")
    func whyOfEmptyEntry() async throws {
        let entry = "{type: 'object', additionalProperties: {type: 'string'}}"
        let values = JSONObject((0..<3_000).map { ("k\($0)", JSONValue.string("v\($0)")) })
        let setup = EngineBench.Setup(
            schema: "{type: 'object', properties: {fleet: {type: 'object', additionalProperties: \(entry)}}}",
            sources: { schema in
                SettingsSources(
                    schema: schema,
                    vendor: [
                        SettingsFile(file: "defaults.json5", values: ["fleet": ["x": .object(values)]])
                    ])
            })
        try await EngineBench.with(setup) { (bench: EngineBench) async throws in
            let path = try SettingPath("fleet/x")
            try await bench.make(.init(changes: [.init(path: path.text, value: [:])], comment: "because"))
            var reply = try await bench.history.why(path, reveal: false)
            #expect(reply.layers.map(\.layer) == [.committed, .vendor])
            #expect(reply.layers[0].value == [:] && reply.layers[0].generation == 1)
            #expect(reply.layers[0].author == "root" && reply.layers[0].comment == "because")
            #expect(reply.layers[1].value?.objectValue?.count == 3_000 && reply.layers[1].generation == nil)
            try await bench.make(
                .init(changes: [.init(path: "fleet/x/k0", value: "mine")], id: "t", confirm: 60_000))
            reply = try await bench.history.why(path, reveal: false)
            #expect(reply.layers[0].value == ["k0": "mine"] && reply.layers[0].generation == nil)
            #expect(reply.layers[0].author == nil && reply.setting.pending == "t")
            let part = try await bench.history.why(try SettingPath("fleet/x/k0"), reveal: false)
            #expect(part.setting.pending == "t" && part.layers[0].generation == 2)
        }
    }

    @Test("A value on trial is of its change, and a secret is shown only where it is to be revealed")
    func whyTrial() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("app/secret", to: "s3cret")
            try await bench.set("tried", id: "t", confirm: 60_000)
            let trial = try await bench.history.why(try SettingPath("system/hostname"), reveal: false)
            #expect(trial.setting.pending == "t" && trial.layers.first?.generation == 2)
            for reveal in [false, true] {
                let secret = try await bench.history.why(try SettingPath("app/secret"), reveal: reveal)
                #expect(secret.layers.first?.value == (reveal ? "s3cret" : nil))
                let group = try await bench.history.why(try SettingPath("app"), reveal: reveal)
                #expect((JSONValue.object(group.wire).canonicalText.utf8.count > 0))
                #expect(group.wire.description.contains("s3cret") == reveal)
            }
        }
    }

    @Test("The end of a change has its reason; one that was never made, or ended otherwise, is refused")
    func ended() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("kept", id: "kept")
            try await bench.set("tried", id: "aborted", confirm: 60_000)
            #expect(await refusal { _ = try await bench.history.ended("aborted") } == "NoTransaction")
            _ = try await bench.runner.abort("aborted", author: EngineBench.root)
            #expect(try await bench.history.ended("kept").state == .confirmed)
            let end = try await bench.history.ended("aborted")
            #expect(end.state == .reverted && end.generation == 3 && end.reason == "root aborted it")
            #expect(try await bench.history.former("aborted", .reverted).generation == 3)
            #expect(await refusal { _ = try await bench.history.former("aborted", .confirmed) } == "NoTransaction")
            #expect(await refusal { _ = try await bench.history.former("kept", .reverted) } == "NoTransaction")
            #expect(await refusal { _ = try await bench.history.ended("none") } == "NoTransaction")
        }
    }

    @Test("A store that is closed answers no question about the history")
    func closed() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump", id: "t")
            try await bench.store.close(.now(bootID: "boot"))
            let history = bench.history
            #expect(await refusal { _ = try await history.log(before: nil, limit: 1) } == "StoreFailed closed")
            #expect(await refusal { _ = try await history.log(id: "t") } == "StoreFailed closed")
            #expect(await refusal { _ = try await history.diff(from: 0, to: 1) } == "StoreFailed closed")
            #expect(await refusal { _ = try await history.ended("t") } == "StoreFailed closed")
            #expect(
                await refusal { _ = try await history.why(try SettingPath("system/hostname"), reveal: false) }
                    == "StoreFailed closed")
            #expect(
                await refusal { _ = try await history.generationBeforeNewestChange(of: EngineBench.root) }
                    == "StoreFailed closed")
        }
    }
}

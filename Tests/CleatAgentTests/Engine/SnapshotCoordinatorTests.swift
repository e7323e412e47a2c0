import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
import CleatStore
import CleatTestSupport
import Synchronization
import SystemPackage
import Testing

@testable import CleatAgent

/// The snapshots of settings and of the system, their refusals and faults, without a process.
@Suite struct SnapshotCoordinatorTests {
    typealias Restore = SnapshotsInterface.Restore.Parameters

    private static func restore(
        _ bench: EngineBench, _ request: Restore, by author: Author = EngineBench.root
    ) async throws -> SnapshotsInterface.Restore.Reply {
        let terms = try TrialTerms(confirm: request.confirm, until: request.until, known: ProbeSet())
        return try await bench.snapshots.restore(request, terms, author: author, cause: nil)
    }

    @discardableResult
    private static func create(
        _ bench: EngineBench, _ name: String = "s", by author: Author = EngineBench.root
    ) async throws -> SnapshotInfo {
        try await bench.snapshots.create(.init(name: name), author: author).snapshot
    }

    /// Exports a snapshot as a file.
    private static func export(_ bench: EngineBench, _ name: String = "s") async throws -> [UInt8] {
        let pieces = Pieces()
        let reply = try await bench.snapshots.export(name) { pieces.add($0) }
        return Array((pieces.text + reply.text).utf8)
    }

    private final class Pieces: Sendable {
        private let all = Mutex("")
        var text: String { all.withLock { $0 } }
        func add(_ piece: String) { all.withLock { $0 += piece } }
    }

    // MARK: Create and list

    @Test("A snapshot has the settings and the resources; a second one of its name, and a bad name, are refused")
    func created() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            let made = try await Self.create(bench)
            #expect(made.settings == 1 && made.resources == 3 && made.generation == 1 && made.author == "root")
            #expect(await refusal { try await Self.create(bench) } == "SnapshotExists")
            for name in ["", "a\nb", String(repeating: "n", count: 65)] {
                #expect(await refusal { try await Self.create(bench, name) } == "InvalidName")
            }
            let comment = SnapshotsInterface.Create.Parameters(
                name: "c", comment: String(repeating: "c", count: 1_025))
            #expect(
                await refusal { _ = try await bench.snapshots.create(comment, author: EngineBench.root) }
                    == "InvalidValue comment")
            #expect(try await bench.snapshots.list().snapshots.map(\.name) == ["s"])
        }
    }

    @Test("While a change is on trial no snapshot is made, and none is restored; a restore is checked all the same")
    func pending() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            try await Self.create(bench)
            try await bench.set("tried", id: "t", confirm: 60_000)
            #expect(await refusal { try await Self.create(bench, "u") } == "TransactionPending")
            #expect(await refusal { _ = try await Self.restore(bench, .init(name: "s")) } == "TransactionPending")
            #expect(try await Self.restore(bench, .init(name: "s", check: true)).change.state == .checked)
        }
    }

    @Test("A resource that cannot be read refuses the snapshot by its name")
    func unreadable() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            try bench.obstruct()
            let error = await #expect(throws: APIError.self) { try await Self.create(bench) }
            guard case .snapshots(let refused) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(refused.kind == .refused && refused.name == "file:/etc/hostname")
            #expect(try await bench.snapshots.list().snapshots.isEmpty)
        }
    }

    @Test("A snapshot is whole after those were deleted that had its unchanged files, and restores them")
    func references() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            try await Self.create(bench, "one")
            try await Self.create(bench, "two")
            _ = try await bench.snapshots.delete("one", author: EngineBench.root)
            _ = try await bench.snapshots.delete("two", author: EngineBench.root)
            let third = try await Self.create(bench, "three")
            #expect(third.resources == 3)
            let shown = try await bench.snapshots.show("three", offset: 0, for: EngineBench.root)
            #expect(shown.resources.contains { $0.resource == "file:/etc/hostname" })
            try await bench.set("fan")
            _ = try await Self.restore(bench, .init(name: "three"))
            #expect(try bench.name == "pump\n")
        }
    }

    @Test("A snapshot has the state that was lost with another one, and one that has changed since")
    func lostAndChanged() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try bench.directory.makeDirectory("root/etc/sysctl.d")
            try await bench.set("pump")
            try await bench.set("kernel/sysctl/vm.swappiness", to: 10)
            try await Self.create(bench, "one")
            _ = try await bench.snapshots.delete("one", author: EngineBench.root)
            try await bench.set("valve")
            try await Self.create(bench, "two")
            let shown = try await bench.snapshots.show("two", offset: 0, for: EngineBench.root)
            #expect(shown.snapshot.damage == nil)
            for file in ["file:/etc/hostname", "file:/etc/sysctl.d/60-cleat.conf"] {
                #expect(shown.resources.contains { $0.resource == file }, "\(file)")
            }
            try await bench.set("fan")
            try await bench.set("kernel/sysctl/vm.swappiness", to: 20)
            _ = try await Self.restore(bench, .init(name: "two"))
            #expect(try bench.name == "valve\n")
            #expect(try bench.directory.read("root/etc/sysctl.d/60-cleat.conf").contains("vm.swappiness = 10"))
        }
    }

    @Test("The number of snapshots is limited; one that is deleted makes space")
    func limit() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            var limits = StoreLimits()
            limits.snapshots = 1
            try await bench.store.setLimits(limits)
            try await Self.create(bench)
            #expect(await refusal { try await Self.create(bench, "u") } == "LimitReached")
            #expect(try await bench.snapshots.delete("s", author: EngineBench.root).freed > 0)
            try await Self.create(bench, "u")
        }
    }

    @Test("Only privileged users delete the snapshots of others")
    func deleted() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            try await Self.create(bench, "roots")
            try await Self.create(bench, "ops", by: EngineBench.op)
            #expect(
                await refusal { _ = try await bench.snapshots.delete("roots", author: EngineBench.op) }
                    == "PermissionDenied")
            _ = try await bench.snapshots.delete("ops", author: EngineBench.op)
            for author in [EngineBench.op, EngineBench.root] {
                #expect(
                    await refusal { _ = try await bench.snapshots.delete("none", author: author) }
                        == "UnknownSnapshot")
            }
        }
    }

    @Test("A store that takes no writes makes no snapshot, and deletes none; a closed one answers nothing")
    func faults() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("pump")
            try await Self.create(bench)
            bench.fail(true)
            #expect(await refusal { try await Self.create(bench, "u") } == "StoreFailed input_output")
            #expect(
                await refusal { _ = try await bench.snapshots.delete("s", author: EngineBench.root) }
                    == "StoreFailed input_output")
            bench.fail(false)
            #expect(try await bench.snapshots.list().snapshots.map(\.name) == ["s"])
            try await bench.store.close(.now(bootID: "boot"))
            let snapshots = bench.snapshots
            #expect(await refusal { _ = try await snapshots.list() } == "StoreFailed closed")
            #expect(
                await refusal { _ = try await snapshots.show("s", offset: 0, for: EngineBench.root) }
                    == "StoreFailed closed")
            #expect(
                await refusal { _ = try await snapshots.comparison.differences("s", nil, for: EngineBench.root) }
                    == "StoreFailed closed")
            #expect(await refusal { _ = try await Self.export(bench) } == "StoreFailed closed")
            #expect(await refusal { _ = try await Self.restore(bench, .init(name: "s")) } == "StoreFailed closed")
        }
    }

    // MARK: Show and compare

    @Test("A snapshot is shown in pages, without secrets")
    func shown() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.make(
                .init(changes: (0..<300).map { .init(path: "app/table/k\($0)", value: "v") }))
            try await bench.set("app/secret", to: "s3cret")
            try await Self.create(bench)
            var offset: Int? = 0
            var pages: [SnapshotsInterface.Show.Reply] = []
            while let place = offset {
                pages.append(try await bench.snapshots.show("s", offset: place, for: EngineBench.root))
                offset = pages.last?.next
            }
            #expect(pages.map(\.settings.count) == [SettingsQueries.pageSize, 301 - SettingsQueries.pageSize])
            #expect(pages[0].settings.first { $0.path == "app/secret" }.map { $0.value == nil } == true)
            #expect(
                await refusal { _ = try await bench.snapshots.show("none", offset: 0, for: EngineBench.root) }
                    == "UnknownSnapshot")
        }
    }

    @Test("Differences from now, and between two, name settings and resources")
    func differences() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            try await Self.create(bench, "one")
            #expect(try await bench.snapshots.comparison.differences("one", nil, for: EngineBench.root).changes.isEmpty)
            try await bench.set("second")
            try await Self.create(bench, "two")
            let now = try await bench.snapshots.comparison.differences("one", nil, for: EngineBench.root)
            #expect(now.changes.map(\.old) == ["first"] && now.changes.map(\.new) == ["second"])
            #expect(now.resources.map(\.resource) == ["file:/etc/hostname"] && now.resources[0].kind == .changed)
            let both = try await bench.snapshots.comparison.differences("two", "one", for: EngineBench.root)
            #expect(both.changes.map(\.new) == ["first"])
            #expect(both.resources.map(\.kind) == [.changed])
            for (name, other) in [("none", nil), ("one", "none")] as [(String, String?)] {
                #expect(
                    await refusal {
                        _ = try await bench.snapshots.comparison.differences(name, other, for: EngineBench.root)
                    } == "UnknownSnapshot")
            }
        }
    }

    @Test("Equal secrets are a difference for a user who may not read them, and for no one else")
    func secrets() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("app/secret", to: "s3cret")
            try await Self.create(bench)
            let root = try await bench.snapshots.comparison.differences("s", nil, for: EngineBench.root)
            let op = try await bench.snapshots.comparison.differences("s", nil, for: EngineBench.op)
            #expect(root.changes.isEmpty && op.changes.map(\.path) == ["app/secret"])
            #expect(op.changes.allSatisfy { $0.old == nil && $0.new == nil })
        }
    }

    // MARK: Restore

    @Test("A restore brings back the settings as a whole; a retry has the former answer, other requests reuse the id")
    func restored() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            try await Self.create(bench)
            try await bench.set("second")
            let present = bench.live.state.reference
            for expected in [
                GenerationRef(store: present.store, generation: 1), GenerationRef(store: "other", generation: 2),
            ] {
                #expect(
                    await refusal { _ = try await Self.restore(bench, .init(name: "s", expect: expected)) }
                        == "Conflict")
            }
            #expect(await refusal { _ = try await Self.restore(bench, .init(name: "none")) } == "UnknownSnapshot")
            let reply = try await Self.restore(bench, .init(name: "s", id: "r", expect: present))
            #expect(reply.change.state == .confirmed && reply.change.generation == 3 && reply.differing.isEmpty)
            #expect(try bench.name == "first\n" && bench.setting == "first")
            #expect(try await Self.restore(bench, .init(name: "s", id: "r")).change.state == .repeated)
            #expect(
                await refusal { _ = try await Self.restore(bench, .init(name: "s", files: true, id: "r")) }
                    == "IdReused")
        }
    }

    @Test("A restore on trial is reverted unless it is confirmed")
    func restoredOnTrial() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            try await Self.create(bench)
            try await bench.set("second")
            let reply = try await Self.restore(bench, .init(name: "s", id: "r", confirm: 60_000))
            #expect(reply.change.state == .pending)
            #expect(try bench.name == "first\n")
            _ = try await bench.runner.abort("r", author: EngineBench.root)
            #expect(try bench.name == "second\n" && bench.setting == "second")
        }
    }

    @Test("An outside edit refuses a restore, and is overwritten where the files are wanted", arguments: [false, true])
    func files(wantsFiles: Bool) async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            try await Self.create(bench)
            if wantsFiles {
                try bench.edit("edited\n")
                let checked = try await Self.restore(bench, .init(name: "s", files: true, check: true))
                #expect(checked.files?.map(\.resource) == ["file:/etc/hostname"])
                #expect(try bench.name == "edited\n")
                let reply = try await Self.restore(bench, .init(name: "s", files: true))
                #expect(reply.change.generation == 2 && reply.differing.isEmpty)
                #expect(try bench.name == "first\n")
            } else {
                try await bench.set("second")
                try bench.edit("edited\n")
                #expect(await refusal { _ = try await Self.restore(bench, .init(name: "s")) } == "InvalidValue system")
                #expect(try bench.name == "edited\n" && bench.setting == "second")
            }
            #expect(try await bench.isCoherent())
        }
    }

    @Test("Operators restore no setting that is reserved for root")
    func restoreRights() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("agent/log/level", to: "debug")
            try await Self.create(bench)
            _ = try await bench.reset(.init())
            #expect(
                await refusal { _ = try await Self.restore(bench, .init(name: "s"), by: EngineBench.op) }
                    == "PermissionDenied")
            #expect(try await Self.restore(bench, .init(name: "s")).change.state == .confirmed)
        }
    }

    @Test("Values that a later schema refuses are not restored; settings that none knows stay, and are named")
    func laterSchema() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("app/count", to: 5)
            try await Self.create(bench)
            _ = try await bench.reset(.init())
            let narrow = try Schema.builtIn.merged(
                with: Schema(
                    json: JSONReader.read(
                        "{type: 'object', properties: {app: {type: 'object', properties: {count: {type: 'integer', maximum: 4}}}}}",
                        dialect: .json5)), from: "app.json")
            bench.live.state.settings = bench.live.state.settings.following(SettingsSources(schema: narrow))
            #expect(await refusal { _ = try await Self.restore(bench, .init(name: "s")) } == "InvalidValue range")
            bench.live.state.settings = bench.live.state.settings.following(SettingsSources(schema: .builtIn))
            let reply = try await Self.restore(bench, .init(name: "s"))
            #expect(reply.change.state == .unchanged)
            #expect(reply.change.results.contains { $0.message.contains("app/count") })
        }
    }

    @Test("A restore that cannot be applied is reverted; one that the store does not take has changed nothing")
    func restoreFaults() async throws {
        try await EngineBench.with(.running) { (bench: EngineBench) async throws in
            try await bench.set("first")
            try await Self.create(bench)
            try await bench.set("second")
            bench.kernel.fail([.setHostName])
            #expect(await refusal { _ = try await Self.restore(bench, .init(name: "s")) } == "NotApplied")
            #expect(try bench.name == "second\n" && bench.setting == "second")
            bench.kernel.fail([])
            bench.fail(true)
            #expect(await refusal { _ = try await Self.restore(bench, .init(name: "s")) } == "StoreFailed input_output")
            #expect(try bench.name == "second\n" && bench.setting == "second")
        }
    }

    @Test("A damaged object is refused by its hash, and nothing is restored")
    func damaged() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            try await Self.create(bench)
            try await bench.set("second")
            try await bench.store.close(.now(bootID: "boot"))
            let place = bench.directory.path.appending("store")
            try EngineBench.edit(place, "UPDATE objects SET bytes = x'00'")
            let store = try await SettingsStore.open(directory: place, executor: ThreadExecutor(name: "again"))
            let next = try await bench.nextRun(store: store)
            let terms = try TrialTerms(confirm: nil, until: nil, known: ProbeSet())
            #expect(
                await refusal {
                    _ = try await next.snapshots.restore(
                        .init(name: "s"), terms, author: EngineBench.root, cause: nil)
                } == "DamagedObject")
            #expect(
                await refusal { _ = try await next.snapshots.show("s", offset: 0, for: EngineBench.root) }
                    == "DamagedObject")
            #expect(await refusal { _ = try await next.snapshots.export("s") { _ in } } == "DamagedObject")
            #expect(try bench.name == "second\n")
            try await store.close(.now(bootID: "boot"))
        }
    }

    // MARK: Export and import

    @Test("An export has no secret, and is imported whole: the omitted settings stay at a restore")
    func exported() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("app/secret", to: "s3cret")
            try await bench.set("first")
            try await Self.create(bench)
            let bytes = try await Self.export(bench)
            #expect(!String(decoding: bytes, as: UTF8.self).contains("s3cret"))
            #expect(try await bench.snapshots.export("s") { _ in }.omitted == ["app/secret"])
            let request = try SnapshotFileReader.read(bytes)
            #expect(
                await refusal { _ = try await bench.snapshots.importing(request, as: nil, author: EngineBench.op) }
                    == "SnapshotExists")
            let made = try await bench.snapshots.importing(request, as: "copy", author: EngineBench.op).snapshot
            #expect(made.importer == "op" && made.author == "root" && made.settings == 2)
            _ = try await bench.snapshots.delete("copy", author: EngineBench.op)
            _ = try await bench.snapshots.importing(request, as: "copy", author: EngineBench.op)
            try await bench.set("app/secret", to: "later")
            try await bench.set("second")
            let reply = try await Self.restore(bench, .init(name: "copy"))
            #expect(reply.kept == 1 && reply.change.changes.map(\.path) == ["system/hostname"])
            #expect(try bench.value("app/secret") == "later" && bench.name == "first\n")
            #expect(await refusal { _ = try await Self.export(bench, "none") } == "UnknownSnapshot")
        }
    }

    @Test("An error of the receiver ends an export")
    func exportEnds() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            try await Self.create(bench)
            #expect(
                await refusal { _ = try await bench.snapshots.export("s") { _ in throw CancellationError() } }
                    == "cancelled")
        }
    }

    @Test("Only root restores the files of an imported snapshot")
    func importedFiles() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            try await Self.create(bench)
            let request = try SnapshotFileReader.read(try await Self.export(bench))
            _ = try await bench.snapshots.importing(request, as: "copy", author: EngineBench.op)
            try bench.edit("edited\n")
            #expect(
                await refusal {
                    _ = try await Self.restore(bench, .init(name: "copy", files: true), by: EngineBench.op)
                } == "PermissionDenied")
            #expect(try bench.name == "edited\n")
            #expect(try await Self.restore(bench, .init(name: "copy", files: true)).change.state == .confirmed)
            #expect(try bench.name == "first\n")
        }
    }

    @Test(
        "A file with a mode that is not declared for it is not imported", .tags(.fault),
        arguments: [0o4755, 0o2755, 0o1755, 0o666, 0o755])
    func modes(_ mode: UInt32) async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            try Files.setMode(bench.directory.appending("root/etc/hostname"), mode)
            try await Self.rejects(bench)
        }
    }

    @Test(
        "A file of an owner that is not declared for it is not imported", .tags(.fault),
        .enabled(if: ProcessSelf.uid == 0, "only root gives files away"), arguments: [(1_234, 0), (0, 1_234)])
    func owners(user: UInt32, group: UInt32) async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            try Files.setOwner(bench.directory.appending("root/etc/hostname"), user: user, group: group)
            try await Self.rejects(bench)
        }
    }

    @Test("A file that not all users may read is left out of an export, so that there is nothing to import of it")
    func hidden() async throws {
        try await EngineBench.with { (bench: EngineBench) async throws in
            try await bench.set("first")
            try Files.setMode(bench.directory.appending("root/etc/hostname"), 0o600)
            try await Self.create(bench)
            #expect(try await bench.snapshots.export("s") { _ in }.omitted == ["file:/etc/hostname"])
            let request = try SnapshotFileReader.read(try await Self.export(bench))
            _ = try await bench.snapshots.importing(request, as: "other", author: EngineBench.root)
        }
    }

    /// Exports the system as it is, and expects that it is refused at the import.
    private static func rejects(_ bench: EngineBench) async throws {
        try await create(bench)
        let bytes = try await export(bench)
        let code = await refusal {
            do {
                _ = try await bench.snapshots.importing(
                    try SnapshotFileReader.read(bytes), as: "other", author: EngineBench.root)
            } catch let error as SnapshotsError {
                throw APIError.snapshots(error)
            }
        }
        #expect(code == "InvalidExport")
        #expect(try await bench.snapshots.list().snapshots.map(\.name) == ["s"])
    }

    @Test("A value of a group is not imported as one setting")
    func group() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            let request = SnapshotRequest(
                name: "g", generation: bench.live.state.reference,
                settings: [SnapshotSetting(path: "app", value: #"{"count":1}"#)], resources: [], author: "x",
                stamp: .now(bootID: "boot"))
            #expect(
                await refusal { _ = try await bench.snapshots.importing(request, as: nil, author: EngineBench.root) }
                    == "InvalidExport")
        }
    }

    @Test(
        "A file that is no whole export is refused by the line that is wrong",
        arguments: ["empty", "not a snapshot", "another format", "cut", "more lines", "a flipped bit", "unsorted"])
    func reader(_ damage: String) async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            try await bench.set("app/count", to: 1)
            try await bench.set("first")
            try await Self.create(bench)
            let bytes = try await Self.export(bench)
            #expect(try SnapshotFileReader.read(bytes).settings?.count == 2)
            var lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            switch damage {
            case "empty": lines = []
            case "not a snapshot": lines[0] = "{}"
            case "another format": lines[0] = try Self.replacing(#""format":1"#, by: #""format":2"#, in: lines[0])
            case "cut": lines.removeLast()
            case "more lines": lines.append("{}")
            case "a flipped bit": lines[1] = try Self.replacing(#""value":1"#, by: #""value":3"#, in: lines[1])
            default: lines.swapAt(1, 2)
            }
            let text = Array(lines.map { $0 + "\n" }.joined().utf8)
            let error = #expect(throws: SnapshotsError.self) { try SnapshotFileReader.read(text) }
            #expect(error?.kind == .invalidExport)
        }
    }

    private static func replacing(_ text: String, by other: String, in line: String) throws -> String {
        let parts = line.split(separator: text, maxSplits: 1)
        try #require(parts.count == 2)
        return parts.joined(separator: other)
    }
}

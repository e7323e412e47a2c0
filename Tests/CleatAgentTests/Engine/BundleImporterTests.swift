import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatJSON
import CleatObservers
import CleatSettings
import CleatStore
import CleatTestSupport
import Logging
import SystemPackage
import Testing

@testable import CleatAgent

/// The files of the inbox that are settings, and what becomes of each, without a process.
@Suite(.timeLimit(.minutes(2 * TestMachine.slowness))) struct BundleImporterTests {
    /// The importer over the parts of a bench, with the events of files.
    private struct Imports: Sendable {
        let importer: BundleImporter
        let events: EventSubscription
        let changes: EventSubscription
        let directory: TemporaryDirectory
        let engine: SettingsEngine

        /// Writes a file into the inbox.
        func put(_ name: String, _ text: String) throws { try directory.write(text, to: "files/inbox/\(name)") }

        /// The names of the files in a directory of the areas.
        func list(_ place: String) -> [String] {
            ((try? names(in: directory.appending("files/\(place)"))) ?? []).sorted()
        }

        /// Waits for the next outcome: its action and its file.
        func next() async -> (action: String, event: EventRecord?) {
            while case .event(let event)? = await events.next() {
                if event.action != "arrived" { return (event.action, event) }
            }
            return ("closed", nil)
        }

        /// Waits for the next change on trial, and returns its id.
        func nextTrial() async -> String? {
            while case .event(let event)? = await changes.next() {
                if event.action == "change-pending" { return event.subject }
            }
            return nil
        }

        /// The outcomes that were published already.
        var outcomes: [String] {
            var actions: [String] = []
            while case .event(let event)? = events.nextNow() {
                if event.action != "arrived" { actions.append(event.action) }
            }
            return actions
        }

        func value(_ path: String) async throws -> JSONValue? {
            await engine.settings.value(at: try SettingPath(path))?.value
        }
    }

    /// Runs a test with files that are in the inbox, and an importer that does nothing yet.
    private static func with(
        _ files: [String: String] = [:], owners: Set<UInt32> = [ProcessSelf.uid], confirm: Int64? = nil,
        match: String = "*.json5", schema: String? = AppSettings.schema, isFollowing: Bool = false,
        _ body: @escaping @Sendable (Imports) async throws -> Void
    ) async throws {
        let rule = ImportRule(match: try #require(Glob(match)), owners: owners, confirm: confirm)
        try await EngineBench.with(EngineBench.Setup(schema: schema)) { (bench: EngineBench) async throws in
            for name in ["files", "files/inbox", "files/library"] { try bench.directory.makeDirectory(name) }
            let areas = FileAreas(directory: bench.directory.path.appending("files"), quotas: [:], worker: bench.worker)
            let inbox = InboxObserver(loop: bench.loop, bus: bench.bus, base: bench.directory.path)
            let importer = BundleImporter(
                engine: bench.engine, bus: bench.bus, files: areas, log: .quiet, inbox: inbox, rules: { [rule] })
            let imports = Imports(
                importer: importer,
                events: bench.bus.subscribe(matching: EventFilter(sources: [.file]), buffer: 256),
                changes: bench.bus.subscribe(matching: EventFilter(sources: [.agent]), buffer: 256),
                directory: bench.directory, engine: bench.engine)
            for (name, text) in files { try imports.put(name, text) }
            let events = importer.subscribe()
            let observing = bench.loop.task { try? await inbox.run() }
            await inbox.waitUntilReady()
            let following = bench.loop.task { if isFollowing { await importer.run(events) } }
            if !isFollowing { await importer.takeAll() }
            try await body(imports)
            bench.bus.close()
            await following.value
            observing.cancel()
            await observing.value
        }
    }

    @Test("Files are applied in the order of their names, and moved to the library")
    func imported() async throws {
        try await Self.with(["b.json5": "{app: {count: 2}}", "a.json5": "{app: {count: 1, value: 'x'}}", "c.txt": "{}"])
        {
            (imports: Imports) async throws in
            #expect(imports.outcomes == ["imported", "imported"])
            #expect(imports.list("inbox") == ["c.txt"])
            #expect(imports.list("library/imported") == ["1-a.json5", "2-b.json5"])
            #expect(try await imports.value("app/count") == 2)
        }
    }

    @Test(
        "A file that is no settings, or that they refuse, is rejected with its reason, and nothing is changed",
        arguments: [
            "no JSON", "[1]", "{}", "{app: {}}", "{app: {count: 99}}", "{app: {nothing: 1}}", "{'': 1}",
            "{app: {count: 1}, app: {count: 2}}", String(repeating: " ", count: SettingsBundle.limit + 1),
            "{agent: {log: {level: 'loud'}}}", "{app: {count: 1, value: 3}}",
        ])
    func rejected(_ text: String) async throws {
        try await Self.with(["a.json5": text]) { (imports: Imports) async throws in
            #expect(imports.outcomes == ["rejected"])
            #expect(imports.list("inbox").isEmpty)
            #expect(imports.list("library/rejected").contains { $0.hasSuffix("-a.json5.reason.txt") })
            #expect(await imports.engine.reference.generation == 0)
        }
    }

    @Test("A file of another owner is rejected, whatever it holds", arguments: ["{app: {count: 1}}", "no JSON", "{}"])
    func stranger(_ text: String) async throws {
        try await Self.with(["a.json5": text], owners: [4_711]) { (imports: Imports) async throws in
            let (action, event) = await imports.next()
            #expect(action == "rejected")
            #expect(event?.properties.dictionary["REASON"]?.contains("belongs to") == true)
            #expect(await imports.engine.reference.generation == 0)
        }
    }

    @Test("A file with a secret is kept without it, and one that cannot be read is not kept at all")
    func secrets() async throws {
        try await Self.with(["a.json5": "{app: {secret: 's3cret', count: 1}}", "b.json5": "{app: {secret: 's3cret'"]) {
            (imports: Imports) async throws in
            #expect(imports.outcomes == ["imported", "rejected"])
            #expect(try await imports.value("app/secret") == "s3cret")
            let kept = try imports.directory.read("files/library/imported/1-a.json5")
            #expect(kept.contains("count") && !kept.contains("s3cret"))
            let reasons = imports.list("library/rejected")
            #expect(reasons.count == 1 && reasons.allSatisfy { $0.hasSuffix(".reason.txt") })
        }
    }

    @Test("Without secrets in the schema, a file that cannot be read is kept whole, next to its reason")
    func whole() async throws {
        try await Self.with(
            ["a.json5": "no JSON"], schema: "{type: 'object', properties: {app: {type: 'string'}}}"
        ) { (imports: Imports) async throws in
            #expect(imports.outcomes == ["rejected"])
            #expect(imports.list("library/rejected").count == 2)
        }
    }

    @Test(
        "A file that cannot be read and may have the passphrase of a Wi-Fi network is not kept",
        arguments: [
            "{wlan0: {wifi: ", "PassPhrase = x", "{psk: ", "{a: \\u0070ass", "{\0p\0a",
            "{network: {interfaces: {wlan0: {'wi-fi': {home: {word: 's3cret'}}}}}}",
        ])
    func wireless(text: String) async throws {
        try await Self.with(["a.json5": text], schema: "{type: 'object', properties: {app: {type: 'string'}}}") {
            (imports: Imports) async throws in
            #expect(imports.outcomes == ["rejected"])
            let kept = imports.list("library/rejected").filter { !$0.hasSuffix(".reason.txt") }
            // One that can be read is kept without what may be a secret.
            let texts = try kept.map { try imports.directory.read("files/library/rejected/\($0)") }
            #expect(kept.count == (text.contains("s3cret") ? 1 : 0) && texts.allSatisfy { !$0.contains("s3cret") })
        }
    }

    @Test(
        "A file that waits for a change on trial, or is on trial itself, is moved at its end", arguments: [true, false])
    func trial(isConfirmed: Bool) async throws {
        try await Self.with(["a.json5": "{app: {count: 1}}"], confirm: 60_000, isFollowing: true) {
            (imports: Imports) async throws in
            let id = try #require(await imports.nextTrial())
            #expect(imports.list("inbox") == ["a.json5"])
            try imports.put("b.json5", "{app: {count: 2}}")
            if isConfirmed {
                _ = try await imports.engine.confirm(id)
            } else {
                _ = try await imports.engine.abort(id, author: EngineBench.root)
            }
            #expect(await imports.next().action == (isConfirmed ? "imported" : "rejected"))
            // The second file is on trial now, in its turn.
            let second = try #require(await imports.nextTrial())
            #expect(second != id)
            _ = try await imports.engine.confirm(second)
            #expect(await imports.next().action == "imported")
            #expect(try await imports.value("app/count") == 2 && imports.list("inbox").isEmpty)
        }
    }

    @Test("A file whose change the store does not take stays, and is read again")
    func storeFault() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            for name in ["files", "files/inbox", "files/library"] { try bench.directory.makeDirectory(name) }
            let areas = FileAreas(directory: bench.directory.path.appending("files"), quotas: [:], worker: bench.worker)
            let inbox = InboxObserver(loop: bench.loop, bus: bench.bus, base: bench.directory.path)
            let rule = ImportRule(match: try #require(Glob("*")), owners: [ProcessSelf.uid])
            let importer = BundleImporter(
                engine: bench.engine, bus: bench.bus, files: areas, log: .quiet, inbox: inbox, rules: { [rule] })
            try bench.directory.write("{app: {count: 1}}", to: "files/inbox/a")
            let observing = bench.loop.task { try? await inbox.run() }
            await inbox.waitUntilReady()
            bench.fail(true)
            await importer.takeAll()
            #expect(try names(in: bench.directory.appending("files/inbox")) == ["a"])
            bench.fail(false)
            await importer.takeAll()
            #expect(try names(in: bench.directory.appending("files/inbox")).isEmpty)
            #expect(try names(in: bench.directory.appending("files/library/imported")) == ["1-a"])
            observing.cancel()
            await observing.value
        }
    }
}

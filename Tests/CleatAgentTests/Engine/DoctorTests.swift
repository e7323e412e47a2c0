import CleatAPI
import CleatHooks
import CleatIO
import CleatJSON
import CleatObservers
import CleatSandbox
import CleatSettings
import CleatStore
import CleatTestSupport
import Logging
import SystemPackage
import Testing

@testable import CleatAdapters
@testable import CleatAgent

/// Each kind of finding of the doctor, without a process.
@Suite struct DoctorTests {
    /// The findings of a test outside of the engine.
    private struct Outside: Sendable {
        var loaded = LoadedSources()
        var configuration: ConfigurationProblem?
        var hooks: [HookProblem] = []
        var probes: [HookProblem] = []
        var notes: [String] = []
        var unreadable: [String] = []
        var volatile: String?
        var areas: Set<Area> = Set(Area.allCases)
        var observers: [any EventObserver] = []
    }

    /// The preparation of a test.
    private typealias Prepare = @Sendable (EngineBench, inout Outside) async throws -> Void

    private static func schema(_ properties: String) throws -> Schema {
        try Schema.builtIn.merged(
            with: Schema(
                json: JSONReader.read(
                    "{type: 'object', properties: {app: {type: 'object', properties: {\(properties)}}}}",
                    dialect: .json5)),
            from: "app.json")
    }

    /// Returns the doctor of a bench's engine.
    private static func doctor(_ bench: EngineBench, _ outside: Outside) throws -> Doctor {
        try bench.directory.makeDirectory("files")
        for area in outside.areas { try bench.directory.makeDirectory("files/\(area.rawValue)") }
        for area in Area.allCases where !outside.areas.contains(area) {
            try bench.directory.write("", to: "files/\(area.rawValue)")
        }
        var probes = ProbeSet()
        probes.problems = outside.probes
        let files = FileAreas(directory: bench.directory.path.appending("files"), quotas: [:], worker: bench.worker)
        return Doctor(
            engine: bench.engine,
            observation: try Observation(
                loop: bench.loop, bus: bench.bus, choice: .kernel, runtime: bench.directory.path,
                state: bench.directory.path, log: .quiet, others: outside.observers, pace: {}),
            hooks: HookRunner(
                loop: bench.loop, hooks: HookSet(problems: outside.hooks),
                context: HookContext(instance: "i", bootID: "boot", socket: "/nowhere")),
            prober: ProbeRunner(loop: bench.loop, probes: probes, socket: "/nowhere"), files: files,
            store: Doctor.Store(
                file: bench.directory.appending("store/settings.db"), notes: outside.notes,
                unreadable: outside.unreadable, volatile: ("/run/volatile.json", outside.volatile)),
            configuration: { ("/etc/cleatd.json5", outside.configuration) },
            tokens: TokenAuthenticator(file: bench.directory.path.appending("tokens.json5"), log: .quiet),
            loaded: { outside.loaded })
    }

    /// An observer that has a problem.
    private struct IllObserver: EventObserver {
        let source = EventSource.setting
        let name = "ill"
        let isReady = true
        let counters: [Counter] = []
        let problem: String? = "it cannot be followed"

        func run() async throws {}
        func waitUntilReady() async {}
    }

    private static func set(_ bench: EngineBench, _ path: String, _ value: JSONValue) async throws {
        _ = try await bench.engine.set(
            .init(changes: [.init(path: path, value: value)]), author: EngineBench.root, cause: nil)
    }

    private static func follow(_ bench: EngineBench, _ sources: SettingsSources, _ outside: inout Outside) async {
        outside.loaded.sources = sources
        outside.loaded.hasDeprecated = sources.schema.hasDeprecated
        await bench.engine.reload(sources, adapters: [], isComplete: true)
    }

    /// A finding, and how it comes about.
    private struct Case: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let kind: DoctorFinding.Kind
        let subject: String
        var setup = EngineBench.Setup.app
        let prepare: Prepare
    }

    private static let ofSettings: [Case] = [
        Case(testDescription: "refused value", kind: .refusedValue, subject: "app/count") { bench, outside in
            try await set(bench, "app/count", 9)
            await follow(bench, SettingsSources(schema: try schema("count: {type: 'integer', maximum: 4}")), &outside)
        },
        Case(testDescription: "unknown setting", kind: .unknownSetting, subject: "app/count") { bench, outside in
            try await set(bench, "app/count", 9)
            await follow(bench, SettingsSources(schema: .builtIn), &outside)
        },
        Case(testDescription: "unreadable row", kind: .unreadableSetting, subject: "app/odd") { _, outside in
            outside.unreadable = ["app/odd"]
        },
        Case(testDescription: "renamed", kind: .renamed, subject: "app/total") { bench, outside in
            try await set(bench, "app/count", 9)
            let renamed = try schema("total: {type: 'integer', 'x-cleat-renamed-from': 'app/count'}")
            await follow(bench, SettingsSources(schema: renamed), &outside)
        },
        Case(testDescription: "locked", kind: .locked, subject: "app/count") { bench, outside in
            try await set(bench, "app/count", 9)
            let lock = SettingLock(path: try SettingPath("app/count"), layer: .vendor, file: "lock.json5")
            let schema = try schema("count: {type: 'integer'}")
            await follow(bench, SettingsSources(schema: schema, locks: [lock]), &outside)
        },
        Case(testDescription: "refused default", kind: .refusedDefault, subject: "defaults.json5") { bench, outside in
            let file = SettingsFile(file: "defaults.json5", values: ["app": ["count": 9]])
            let narrow = try schema("count: {type: 'integer', maximum: 4}")
            await follow(bench, SettingsSources(schema: narrow, vendor: [file]), &outside)
        },
        Case(testDescription: "deprecated", kind: .deprecated, subject: "app/count") { bench, outside in
            try await set(bench, "app/count", 9)
            let old = try schema("count: {type: 'integer', deprecated: true}")
            await follow(bench, SettingsSources(schema: old), &outside)
        },
        Case(testDescription: "lock of nothing", kind: .configuration, subject: "lock.json5") { bench, outside in
            let lock = SettingLock(path: try SettingPath("app/cont"), layer: .vendor, file: "lock.json5")
            await follow(bench, SettingsSources(schema: .builtIn, locks: [lock]), &outside)
        },
    ]

    private static let ofFiles: [Case] = [
        Case(testDescription: "configuration file", kind: .configuration, subject: "/etc/cleatd.json5") { _, outside in
            outside.configuration = ConfigurationProblem(message: "is no object")
        },
        Case(testDescription: "file area", kind: .configuration, subject: "files/library") { _, outside in
            outside.areas.remove(.library)
        },
        Case(testDescription: "observer", kind: .configuration, subject: "events of setting") { _, outside in
            outside.observers = [IllObserver()]
        },
        Case(testDescription: "refused source", kind: .refusedFile, subject: "app.json") { _, outside in
            outside.loaded.add(
                DoctorFinding(kind: .refusedFile, subject: "app.json", message: "is no schema", remedy: "correct it"))
        },
        Case(testDescription: "hook file", kind: .hook, subject: "h.json5") { _, outside in
            outside.hooks = [HookProblem(file: "h.json5", message: "is no object")]
        },
        Case(testDescription: "probe file", kind: .refusedFile, subject: "p.json5") { _, outside in
            outside.probes = [HookProblem(file: "p.json5", message: "is no object")]
        },
        Case(testDescription: "volatile values", kind: .store, subject: "/run/volatile.json") { _, outside in
            outside.volatile = "the values are lost"
        },
    ]

    private static let ofSystem: [Case] = [
        Case(testDescription: "drift", kind: .drift, subject: "/etc/hostname") { bench, _ in
            try await set(bench, "system/hostname", "pump")
            try bench.edit("edited\n")
        },
        Case(testDescription: "unknown file", kind: .drift, subject: "/etc/sysctl.d/60-cleat.conf") { bench, _ in
            try bench.directory.makeDirectory("root/etc/sysctl.d")
            try bench.directory.write(
                "\(WrittenByCleat.mark)kernel/sysctl.\n", to: "root/etc/sysctl.d/60-cleat.conf")
        },
        Case(testDescription: "failed program", kind: .notFollowed, subject: "reload the application", setup: .program)
        { bench, _ in
            _ = await refusal { try await set(bench, "app/value", "one") }
        },
        Case(
            testDescription: "setting that nothing follows", kind: .notFollowed,
            subject: "network/interfaces/eth0/privacy", setup: .running
        ) { bench, _ in
            try await bench.engine.force(SettingPath("network/interfaces/eth0/privacy"), true)
        },
        Case(testDescription: "moved store", kind: .store, subject: "store") { bench, _ in
            try Files.rename(bench.directory.appending("store"), to: bench.directory.appending("moved"))
        },
        Case(testDescription: "failed store", kind: .store, subject: "store/settings.db") { bench, _ in
            bench.fail(true)
            _ = await refusal { try await set(bench, "app/count", 1) }
            bench.fail(false)
        },
        Case(testDescription: "failed revert", kind: .store, subject: "change t") { bench, _ in
            _ = try await bench.engine.set(
                .init(changes: [.init(path: "system/hostname", value: "tried")], id: "t", confirm: 60_000),
                author: EngineBench.root, cause: nil)
            try bench.obstruct()
            _ = await refusal { _ = try await bench.engine.abort("t", author: EngineBench.root) }
        },
    ]

    @Test(
        "A finding has its kind, its subject and a remedy",
        arguments: ofSettings + ofFiles + ofSystem)
    private func found(_ one: Case) async throws {
        try await EngineBench.with(one.setup) { (bench: EngineBench) async throws in
            var outside = Outside()
            try await one.prepare(bench, &outside)
            let findings = await (try Self.doctor(bench, outside)).reply().findings
            let expected = findings.filter { $0.kind == one.kind && $0.subject.hasSuffix(one.subject) }
            #expect(expected.count == 1, "\(findings)")
            #expect(expected.allSatisfy { !$0.message.isEmpty && !$0.remedy.isEmpty })
        }
    }

    @Test("Where nothing is wrong there is no finding, and the health counts as many as there are")
    func none() async throws {
        try await EngineBench.with(.app) { (bench: EngineBench) async throws in
            var outside = Outside()
            try await Self.set(bench, "system/hostname", "pump")
            let doctor = try Self.doctor(bench, outside)
            #expect(await doctor.reply().findings.isEmpty)
            #expect(await doctor.health().findings == 0)
            try await Self.set(bench, "app/count", 9)
            await Self.follow(bench, SettingsSources(schema: .builtIn), &outside)
            let health = await doctor.health()
            #expect(health.findings == 1 && health.inactive == ["app/count"])
            #expect(await doctor.findingsOfReload().isEmpty, "a stored value is no finding of a file")
        }
    }

    @Test("Findings that are too many, or too long, for one reply are counted")
    func bounded() {
        func finding(_ length: Int) -> DoctorFinding {
            DoctorFinding(kind: .hook, subject: "s", message: String(repeating: "m", count: length), remedy: "r")
        }
        let few = Doctor.bounded(Array(repeating: finding(10), count: 3))
        #expect(few.findings.count == 3 && few.omitted == nil)
        let many = Doctor.bounded(Array(repeating: finding(10), count: 1_100))
        #expect(many.findings.count == 1_024 && many.omitted == 76)
        let long = Doctor.bounded(Array(repeating: finding(100_000), count: 9))
        #expect(long.findings.count == 5 && long.omitted == 4)
    }
}

extension SettingsEngine {
    /// Puts a stored value in force that no adapter follows, as one that was set before the network service went.
    fileprivate func force(_ path: SettingPath, _ value: JSONValue) {
        live.state.settings = live.state.settings.changingStored([SettingDifference(path: path, old: nil, new: value)])
    }
}

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

@testable import CleatAgent

/// The parts of an engine over a directory as its system, with a store that can be made to fail, a clock that can be
/// advanced, and a kernel and links of a test's own.
final class EngineBench {
    /// The choices of a test.
    struct Setup: Sendable {
        /// The settings besides the built-in ones, as JSON Schema in JSON5.
        var schema: String?
        /// The adapters besides the built-in ones.
        var rules: @Sendable (TemporaryDirectory) -> [any Adapter] = { _ in [] }
        /// True if the system has a kernel: that of the bench.
        var isRunning = false
        /// The locks, the vendor's defaults and so on, made of the schema.
        var sources: @Sendable (Schema) -> SettingsSources = { SettingsSources(schema: $0) }

        static let standard = Setup()
        /// A system with the kernel of the bench.
        static let running = Setup(isRunning: true)
        /// A system with settings of an application.
        static let app = Setup(schema: AppSettings.schema)
        /// A system with settings of an application, a file that follows one of them, and a program that reloads it.
        static let program = Setup(schema: AppSettings.schema, rules: { [AppAdapter($0)] }, isRunning: true)
    }

    /// The parts of one run of the service.
    struct Parts {
        let live: LiveState
        let reconciler: SystemReconciler
        let runner: TransactionRunner
        let history: SettingsHistory
        let writer: SettingsWriter
        let drifts: DriftResolver
        let snapshots: SnapshotCoordinator

        init(_ services: EngineServices, _ state: SettingsState, _ applier: SystemApplier) {
            live = LiveState(services: services, state: state, applier: applier)
            reconciler = SystemReconciler(live)
            runner = TransactionRunner(live, reconciler)
            history = SettingsHistory(live: live)
            writer = SettingsWriter(live: live, reconciler: reconciler, runner: runner, history: history)
            drifts = DriftResolver(live: live, reconciler: reconciler, writer: writer)
            // Files that were written just now are read each time; the clock is ahead, so that they are not.
            snapshots = SnapshotCoordinator(
                live: live, writer: writer,
                captured: CapturedFiles { WallTime(milliseconds: WallTime.now().milliseconds + 3_600_000) })
        }
    }

    let directory: TemporaryDirectory
    let store: SettingsStore
    let kernel = BenchKernel()
    let bus: EventBus
    let loop: EventLoop
    /// The façade over the same store, system and clock, with a state of its own.
    let engine: SettingsEngine
    let setup: Setup
    private let parts: Parts
    private let world: World
    let worker: Worker

    /// The state that the parts see and a test changes.
    private final class World: Sendable {
        // A function by itself would be wrapped once more by each access to the mutex.
        struct Condition { let holds: @Sendable () -> Bool }

        struct Pauses {
            var count = 0
            var body: @Sendable (Int) throws -> Void = { _ in }
        }

        let fails = Mutex(Condition { false })
        let ahead = Mutex(Duration.zero)
        let published = Mutex<[LayeredSettings]>([])
        let links = Mutex(LinkTable())
        let pauses = Mutex(Pauses())
        let jobs = Atomic(0)

        func now() -> BootTime { .now().advanced(by: ahead.withLock { $0 }) }

        func pause() throws {
            let (count, body) = pauses.withLock { pauses in
                pauses.count += 1
                return (pauses.count, pauses.body)
            }
            try body(count)
        }
    }

    private init(_ loop: EventLoop, _ worker: Worker, _ world: World, _ setup: Setup) async throws {
        (self.loop, self.worker, self.world, self.setup) = (loop, worker, world, setup)
        directory = try TemporaryDirectory()
        for name in ["root", "root/etc", "root/usr", "root/usr/bin"] { try directory.makeDirectory(name) }
        try directory.write("factory\n", to: "root/etc/hostname")
        if setup.isRunning { try directory.write("", to: "root/usr/bin/test") }
        bus = EventBus(bootID: "boot")
        store = try await SettingsStore.open(
            directory: directory.path.appending("store"),
            executor: ThreadExecutor(name: "store") { world.jobs.add(1, ordering: .relaxed) }
        ) { operation in
            let isRead = operation.kind == .read || operation.kind == .open
            return !isRead && world.fails.withLock({ $0.holds })() ? .fail(.inputOutput) : .proceed
        }
        var schema = Schema.builtIn
        if let text = setup.schema {
            schema = try schema.merged(
                with: Schema(json: try JSONReader.read(text, dialect: .json5)), from: "app.json")
        }
        let sources = setup.sources(schema)
        let applier = SystemApplier(
            of: try SystemResources(
                root: directory.path.appending("root"), isRunning: setup.isRunning, kernelCalls: kernel),
            rules: setup.rules(directory), loop: loop, workers: (worker, worker),
            staging: directory.path.appending("staged"))
        let file = VolatileFile(directory: directory.path, bootID: "boot", worker: worker)
        let prober = ProbeRunner(loop: loop, probes: ProbeSet(), socket: "/nowhere")
        prober.follow { world.links.withLock { $0 } }
        let stored = try await store.snapshot()
        let services = EngineServices(
            loop: loop, store: store, opening: StoreOpening(), bus: bus, prober: prober,
            volatileFile: file, journal: ChangeJournal(nil), now: { world.now() }, pause: { _ in try world.pause() },
            onCommit: { settings in world.published.withLock { $0.append(settings) } })
        parts = Parts(
            services,
            SettingsState(
                settings: LayeredSettings(sources: sources, committed: SettingsTree()), reference: stored.generation,
                volatile: VolatileState()), applier)
        engine = SettingsEngine(
            loop: loop, store: (store, await store.opening), state: stored, sources: sources,
            volatile: (file, VolatileState()), applier: applier, prober: prober, bus: bus, now: { world.now() }
        ) { _ in }
    }

    /// Runs a test with the parts of an engine, on a loop.
    static func with(
        _ setup: Setup = .standard, _ body: @escaping @Sendable (EngineBench) async throws -> Void
    ) async throws {
        let world = World()
        let worker = Worker { world.jobs.add(1, ordering: .relaxed) }
        defer { worker.shutdown() }
        try await withLoop { loop in
            let bench = try await EngineBench(loop, worker, world, setup)
            try await body(bench)
            bench.fail(false)
            await bench.engine.stop()
            try await bench.store.close(.now(bootID: "boot"))
        }
    }

    static let root = Author(name: "root", isPrivileged: true)
    static let op = Author(name: "op", isPrivileged: false)

    var live: LiveState { parts.live }
    var reconciler: SystemReconciler { parts.reconciler }
    var runner: TransactionRunner { parts.runner }
    var history: SettingsHistory { parts.history }
    var writer: SettingsWriter { parts.writer }
    var drifts: DriftResolver { parts.drifts }
    var snapshots: SnapshotCoordinator { parts.snapshots }

    /// The number of times that settings were put in force.
    var commits: Int { world.published.withLock { $0.count } }
    /// The number of jobs that were passed to the threads of the store and of the worker.
    var hops: Int { world.jobs.load(ordering: .relaxed) }
    /// The name in the system.
    var name: String { get throws { try directory.read("root/etc/hostname") } }
    /// The name in the settings in force.
    var setting: JSONValue? { get throws { try value("system/hostname") } }
    /// The present time of the engine's clock.
    var now: BootTime { live.services.now() }

    /// Returns the value in force at a path.
    func value(_ path: String) throws -> JSONValue? { live.state.settings.value(at: try SettingPath(path))?.value }

    // MARK: The world

    /// Makes all writes of the store fail, or none.
    func fail(_ isSo: Bool) { fail { isSo } }

    /// Makes the writes of the store fail while a condition holds; it is called before each of them.
    func fail(while condition: @escaping @Sendable () -> Bool) {
        world.fails.withLock { $0 = World.Condition(holds: condition) }
    }

    func advance(by duration: Duration) { world.ahead.withLock { $0 += duration } }

    /// Adds a link, or switches it.
    func setLink(_ name: String, isUp: Bool) { Self.setLink(name, isUp: isUp, world) }

    private static func setLink(_ name: String, isUp: Bool, _ world: World) {
        world.links.withLock { table in
            _ = table.update(
                LinkRecord(
                    index: 2, name: name, state: isUp ? .up : .down, carrier: isUp, flags: isUp ? [.up] : []))
        }
    }

    /// Switches a link in the pause with a number, between two rounds of probe checks; ends the checks in a later one.
    func switchLink(_ name: String, isUp: Bool, inPause number: Int, last: Int = 10) {
        world.pauses.withLock { [world] pauses in
            pauses.body = { count in
                if count == number { Self.setLink(name, isUp: isUp, world) }
                if count >= last { throw CancellationError() }
            }
        }
    }

    /// Puts a directory in the place of the file with the name, which cannot be written or restored then.
    func obstruct() throws {
        try Files.remove(directory.appending("root/etc/hostname"))
        try directory.makeDirectory("root/etc/hostname")
    }

    /// Moves that directory away.
    func clear() throws {
        try Files.rename(directory.appending("root/etc/hostname"), to: directory.appending("obstacle"))
    }

    /// Edits the file with the name.
    func edit(_ text: String) throws { try directory.write(text, to: "root/etc/hostname") }

    // MARK: Requests

    @discardableResult
    func set(
        _ name: String, id: String? = nil, confirm: Int64? = nil, until: [String]? = nil
    ) async throws -> SettingsInterface.Set.Reply {
        try await make(
            .init(
                changes: [.init(path: "system/hostname", value: .string(name))], id: id, confirm: confirm, until: until)
        )
    }

    /// Sets one value.
    @discardableResult
    func set(
        _ path: String, to value: JSONValue?, by author: Author = root
    ) async throws -> SettingsInterface.Set.Reply {
        try await make(.init(changes: [.init(path: path, value: value)]), by: author)
    }

    @discardableResult
    func make(
        _ request: SettingsInterface.Set.Parameters, by author: Author = root
    ) async throws -> SettingsInterface.Set.Reply {
        let plan = try SettingsPlan(request)
        let order = try ChangeOrder(
            request, plan, author: author, cause: nil, caller: .unknown, probes: live.services.prober.probes)
        return try await writer.set(plan, order, uploads: UploadedContents())
    }

    func reset(
        _ request: SettingsInterface.Reset.Parameters, by author: Author = root
    ) async throws -> SettingsInterface.Set.Reply {
        let prefix = try request.prefix.map { try SettingPath(fromCaller: $0) }
        let order = try ChangeOrder(
            request, prefix, author: author, cause: nil, caller: .unknown, probes: live.services.prober.probes)
        return try await writer.reset(under: prefix, order)
    }

    func rollback(
        _ request: SettingsInterface.Rollback.Parameters, by author: Author = root
    ) async throws -> SettingsInterface.Set.Reply {
        let order = try ChangeOrder(
            request, author: author, cause: nil, caller: .unknown, probes: live.services.prober.probes)
        return try await writer.rollback(to: request.to, order)
    }

    // MARK: Another run of the service

    /// Makes the parts of the next run of the service, over the same store and system.
    ///
    /// - Parameters:
    ///   - bootID: The id of the boot that it is in.
    ///   - other: The store, as it was opened again; nil for that of the bench.
    ///   - isFallback: True if that is an in-memory fallback.
    ///   - volatile: The state that it finds in the runtime directory.
    ///   - ahead: The number of generations that a repair of the store has added.
    /// - Returns: The parts, of which nothing has run.
    /// - Throws: The failure of the store.
    func nextRun(
        bootID: String = "boot", store other: SettingsStore? = nil, isFallback: Bool = false,
        volatile: VolatileState = VolatileState(),
        ahead: Int64 = 0
    ) async throws -> Parts {
        let services = live.services
        let store = other ?? store
        let stored = try await store.snapshot()
        var reference = stored.generation
        reference.generation += ahead
        var opening = StoreOpening()
        if isFallback { opening.fallback = StoreOpening.Fallback(cause: "it fails", unread: []) }
        return Parts(
            EngineServices(
                loop: loop, store: store, opening: opening,
                bus: EventBus(bootID: bootID), prober: services.prober, volatileFile: services.volatileFile,
                journal: services.journal, now: services.now, pause: services.pause, onCommit: services.onCommit),
            SettingsState(
                settings: live.state.settings.replacingStored(
                    SettingsTree(stored.settings.lazy.map { ($0.path, $0.value) })),
                reference: reference, volatile: volatile), live.applier)
    }

    /// Changes a row of a closed store, as a later release or a fault does.
    static func edit(_ store: FilePath, _ sql: String) throws {
        let database = try Database(path: store.appending("settings.db").string)
        defer { database.dropStatements() }
        for sql in ["PRAGMA locking_mode=EXCLUSIVE", sql] { try database.execute(sql) }
    }

    /// Compares what is in memory of the known resources with what the store has.
    func isCoherent() async throws -> Bool {
        let fresh = KnownResources(in: store)
        return try await live.resources.all() == fresh.all()
    }
}

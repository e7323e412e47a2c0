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

/// The parts of an engine over a directory as its system, a store that can be made to fail, and a clock that can be
/// advanced.
final class EngineBench {
    let directory: TemporaryDirectory
    let store: SettingsStore
    let live: LiveState
    let reconciler: SystemReconciler
    let runner: TransactionRunner
    let writer: SettingsWriter
    private let world: World

    /// The state that the parts see and a test changes.
    private final class World: Sendable {
        let fails = Atomic(false)
        let ahead = Mutex(Duration.zero)
        let published = Mutex<[LayeredSettings]>([])
    }

    init(_ loop: EventLoop, _ worker: Worker) async throws {
        let world = World()
        self.world = world
        directory = try TemporaryDirectory()
        try directory.makeDirectory("root")
        try directory.makeDirectory("root/etc")
        try directory.write("factory\n", to: "root/etc/hostname")
        store = try await SettingsStore.open(
            directory: directory.path.appending("store"), executor: ThreadExecutor(name: "store")
        ) { operation in
            let isRead = operation.kind == .read || operation.kind == .open
            return world.fails.load(ordering: .relaxed) && !isRead ? .fail(.inputOutput) : .proceed
        }
        let stored = try await store.snapshot()
        live = LiveState(
            services: EngineServices(
                loop: loop, store: store, isFallback: false, isFailsafe: false, bus: EventBus(bootID: "boot"),
                prober: ProbeRunner(loop: loop, probes: ProbeSet(), socket: "/nowhere"),
                volatileFile: VolatileFile(directory: directory.path, bootID: "boot", worker: worker),
                journal: ChangeJournal(nil),
                now: { BootTime.now().advanced(by: world.ahead.withLock { $0 }) },
                onCommit: { settings in world.published.withLock { $0.append(settings) } }),
            state: SettingsState(
                settings: LayeredSettings(sources: SettingsSources(schema: .builtIn), committed: SettingsTree()),
                reference: stored.generation, volatile: VolatileState()),
            applier: SystemApplier(
                of: try SystemResources(root: directory.path.appending("root")), rules: [], loop: loop, worker: worker))
        reconciler = SystemReconciler(live)
        runner = TransactionRunner(live, reconciler)
        writer = SettingsWriter(
            live: live, reconciler: reconciler, runner: runner, history: SettingsHistory(live: live))
    }

    /// Runs a test with the parts of an engine, on a loop.
    static func with(_ body: @escaping @Sendable (EngineBench) async throws -> Void) async throws {
        let worker = Worker()
        defer { worker.shutdown() }
        try await withLoop { loop in
            let bench = try await EngineBench(loop, worker)
            try await body(bench)
            bench.fail(false)
            try await bench.store.close(.now(bootID: "boot"))
        }
    }

    static let root = Author(name: "root", isPrivileged: true)

    /// The number of times that settings were put in force.
    var commits: Int { world.published.withLock { $0.count } }
    /// The name in the system.
    var name: String { get throws { try directory.read("root/etc/hostname") } }
    /// The name in the settings in force.
    var setting: JSONValue? {
        get throws { live.state.settings.value(at: try SettingPath("system/hostname"))?.value }
    }
    /// The present time of the engine's clock.
    var now: BootTime { live.services.now() }

    func fail(_ isSo: Bool) { world.fails.store(isSo, ordering: .relaxed) }
    func advance(by duration: Duration) { world.ahead.withLock { $0 += duration } }

    /// Puts a directory in the place of the file with the name, which cannot be written or restored then.
    func obstruct() throws {
        try Files.remove(directory.appending("root/etc/hostname"))
        try directory.makeDirectory("root/etc/hostname")
    }

    /// Moves that directory away.
    func clear() throws {
        try Files.rename(directory.appending("root/etc/hostname"), to: directory.appending("obstacle"))
    }

    @discardableResult
    func set(
        _ name: String, id: String? = nil, confirm: Int64? = nil
    ) async throws -> SettingsInterface.Set.Reply {
        let request = SettingsInterface.Set.Parameters(
            changes: [.init(path: "system/hostname", value: .string(name))], id: id, confirm: confirm)
        let plan = try SettingsPlan(request)
        let order = try ChangeOrder(
            request, plan, author: Self.root, cause: nil, caller: .unknown, probes: live.services.prober.probes)
        return try await writer.set(plan, order, uploads: UploadedContents())
    }

    /// Compares what is in memory of the known resources with what the store has.
    func isCoherent() async throws -> Bool {
        let fresh = KnownResources(in: store)
        return try await live.resources.all() == fresh.all()
    }
}

import CleatAPI
import CleatHooks
package import CleatIO
import CleatObservers
import CleatSandbox
import CleatSettings
import CleatStore
import CleatVarlink
package import Logging
import Synchronization
import SystemPackage

/// The service: opens the store, follows devices and links, runs hooks and answers clients, until a signal ends it.
package final class Agent: Sendable {
    struct State {
        var configuration = AgentConfiguration()
        var configurationProblem: ConfigurationProblem?
        var loaded = LoadedSources()
        var logLevelSetting: LogLevel?
    }

    let loop: EventLoop
    let options: AgentOptions
    let paths: AgentPaths
    let log: Logger
    let threshold: LogThreshold
    let notify = Notify()
    let started = WallTime.now()
    let startedBoot = BootTime.now()
    let storeThread = ThreadExecutor(name: "store")
    let worker = Worker()
    let state = Mutex(State())
    let access = Access(owner: ProcessSelf.uid, group: UserDatabase.gid(ofGroup: Access.group))
    let pages: ProgramPages

    /// Prepares a service; nothing happens before ``run()``.
    ///
    /// - Parameters:
    ///   - loop: The loop that it lives on.
    ///   - options: The command line.
    ///   - paths: The paths of its files.
    ///   - log: The log that it writes to.
    ///   - threshold: The least level that `log` writes; the service changes it according to the settings.
    package init(loop: EventLoop, options: AgentOptions, paths: AgentPaths, log: Logger, threshold: LogThreshold) {
        self.loop = loop
        self.options = options
        self.paths = paths
        self.log = log
        self.threshold = threshold
        pages = ProgramPages(on: loop) { Self.releasePages(log) }
    }

    /// The contents of the board's files.
    var loadedSources: LoadedSources { state.withLock { $0.loaded } }

    /// Keeps the contents of the board's files.
    func remember(_ loaded: LoadedSources) {
        state.withLock { $0.loaded = loaded }
    }

    /// The file with factory data that the configuration names.
    var factoryFile: FilePath? { state.withLock { $0.configuration.factory } }

    /// Runs the service until SIGTERM or SIGINT.
    ///
    /// - Throws: A failure to start: the store, the socket, the kernel's event sockets.
    package func run() async throws {
        let signals = try loop.signals([.terminate, .interrupt, .hangUp])
        try makeDirectories()
        loadConfiguration()

        let bootID = BootID.current().text
        let store = try await openStore(bootID: bootID)
        do {
            try await serve(store, EventBus(bootID: bootID), signals)
        } catch {
            await close(store, bootID: bootID)
            throw error
        }
        await close(store, bootID: bootID)
        worker.shutdown()
        log.notice("cleatd has ended")
    }

    private func close(_ store: SettingsStore, bootID: String) async {
        do {
            try await store.close(.now(bootID: bootID))
        } catch {
            log.error("\(error)")
        }
    }

    private func serve(_ store: SettingsStore, _ bus: EventBus, _ signals: SignalSequence) async throws {
        var stored = try await store.snapshot()
        let isFailsafe = await store.opening.isFailsafe
        let opening = await store.opening.notes + (isFailsafe ? [Self.failsafeNote] : [])
        var notes = opening + stored.unreadable.map { "The stored setting \($0) cannot be read." }
        for note in notes { log.error("\(note)") }
        let loaded = sourceLoader().load()
        keep(loaded)

        let upkeep = StoreUpkeep(loop: loop, store: store, bootID: bus.bootID, log: log)
        let volatileFile = VolatileFile(directory: paths.runtime, bootID: bus.bootID, worker: worker)
        let volatile = volatileFile.load()
        if let problem = volatile.problem {
            log.error("\(problem)")
            notes.append(problem)
        }
        let files = openFiles(state.withLock { $0.configuration })
        let trial = try await store.trial()
        // If nothing was ever set there is nothing to sweep, and no thread is started for it.
        let origins = try await store.origins()
        let written = try await store.fingerprints()
        let touched = origins.map(\.resource) + written.map(\.resource) + (trial?.mementos.map(\.resource) ?? [])
        let follower = try makeFollower(loaded, documents: files.directory(of: .documents), keeping: touched)
        if trial != nil || !origins.isEmpty || !written.isEmpty || !volatile.state.settings.isEmpty {
            await sweep(follower)
        }
        let prober = ProbeRunner(loop: loop, probes: loadProbes(), socket: paths.socket.string)
        let engine = SettingsEngine(
            loop: loop, store: store, state: stored, sources: loaded.sources,
            volatile: (volatileFile, volatile.state), follower: follower, prober: prober,
            bus: bus, log: log
        ) { settings in
            self.followLogLevel(settings)
            self.loop.task { await upkeep.follow(settings) }
        }
        if let trial {
            await engine.resume(trial)
            let became = await engine.resumed(trial)
            log.notice("\(became)")
        }
        // In failsafe mode the settings are unknown, so the system stays as it was found.
        if !isFailsafe {
            let opened = await store.opening
            await uphold(
                engine, bootID: bus.bootID, leavesFiles: opened.standIn != nil && opened.restored != nil)
        }
        // The engine holds them sorted; a second copy would stay for as long as the service runs.
        stored.settings = []
        tellInactive(await engine.settings)
        followLogLevel(await engine.settings)
        await upkeep.follow(engine.settings)

        let configuration = state.withLock { $0.configuration }
        var limits = HookQueue.Limits()
        limits.concurrency = configuration.hookConcurrency
        let hooks = HookRunner(
            loop: loop, hooks: await loadHooks(),
            context: HookContext(instance: bus.instance, socket: paths.socket.string), limits: limits
        ) { [log, pages] notice in
            pages.touched()
            log.log(level: notice.isProblem ? .warning : .info, "\(notice)")
        }
        let observation = try Observation(
            loop: loop, bus: bus, choice: configuration.deviceSource, runtime: paths.runtime, state: paths.state,
            log: log, pace: { await hooks.room() })
        let links = observation.linkObserver
        prober.follow { await links.hasSettled ? await links.table : nil }
        let doctor = Doctor(
            engine: engine, hooks: hooks, prober: prober, files: files,
            store: Doctor.Store(
                file: paths.state.appending("settings.db").string, notes: opening, unreadable: stored.unreadable,
                volatile: (volatileFile.path.string, volatile.problem)),
            configuration: {
                (self.paths.configurationFile.string, self.state.withLock { $0.configurationProblem })
            },
            loaded: { self.state.withLock { $0.loaded } })
        let status = try StatusService(
            sources: StatusService.Sources(
                started: started, startedBoot: startedBoot, paths: paths, engine: engine, store: store, bus: bus,
                observation: observation, hooks: hooks, prober: prober, files: files, doctor: doctor, storeNotes: notes,
                configurationProblem: {
                    self.state.withLock { $0.configurationProblem?.text(in: self.paths.configurationFile) }
                }))
        let server = VarlinkServer(
            loop: loop,
            services: [
                try SettingsService(
                    engine: engine, hooks: hooks, access: access, doctor: doctor, files: files, worker: worker,
                    links: { await observation.links() }),
                try TransactionsService(engine: engine, links: { await observation.links() }),
                try SnapshotsService(engine: engine, hooks: hooks, areas: files),
                try SystemService(engine: engine, hooks: hooks),
                try EventsService(bus: bus, observation: observation),
                try HooksService(hooks: hooks, bootID: bus.bootID), try FilesService(areas: files), status,
            ],
            configuration: serverConfiguration(stallTimeout: configuration.stallTimeout))
        status.attach(server)
        let listener = try listen()

        let parts = AgentParts(
            bus: bus, engine: engine, observation: observation, hooks: hooks, prober: prober, files: files,
            server: server,
            listener: listener, upkeep: upkeep)
        try await run(parts, signals, generation: await engine.reference.generation)
    }
}

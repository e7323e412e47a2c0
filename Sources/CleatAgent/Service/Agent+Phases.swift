import CleatAPI
import CleatAdapters
import CleatHooks
import CleatIO
import CleatObservers
import CleatOrder
import CleatSandbox
import CleatSettings
import CleatStore
import CleatVarlink
import Logging
import SystemPackage

/// The state that a start finds.
struct StartState: Sendable {
    /// The contents of the store.
    let stored: StoredState
    /// The report of the store's opening.
    let opening: StoreOpening
    /// True if the opening has left the check of the store for later.
    let isCheckDue: Bool
    /// The notes on that, and on stored settings that cannot be read.
    let notes: [String]
    /// The file of volatile values, its contents, and the problem if it could not be read.
    let volatile: (file: VolatileFile, state: VolatileState, problem: String?)
    /// The change on trial from a former run of the service; nil if there is none.
    let trial: StoredTrial?
    /// The resources whose former state the store has.
    let origins: [StoredOrigin]
    /// The fingerprints of written resources.
    let prints: [StoredFingerprint]
    /// The contents of the board's files.
    let sources: LoadedSources

    /// The notes of `doctor`: what happened to the store.
    var storeNotes: [String] {
        opening.notes + (opening.isFailsafe && opening.fallback?.awaitsMount != true ? [Self.failsafeNote] : [])
    }

    /// The note that is logged if neither the settings nor their second copy could be read.
    private static let failsafeNote =
        "The service runs on its failsafe configuration: nothing is set, the vendor's defaults are in force, and the "
        + "system is not changed until something is set or the service is restarted. Set what the board needs, "
        + "or stop the service and restore one of the quarantined files."
}

extension Agent {
    // MARK: The settings

    /// Phase 1: reads what the store and the runtime directory hold, besides the board's files.
    func readState(_ store: SettingsStore, _ bus: EventBus) async throws -> StartState {
        let stored = try await store.snapshot()
        let file = VolatileFile(directory: paths.runtime, bootID: bus.bootID, worker: worker)
        let (volatile, problem) = file.load()
        let state = StartState(
            stored: stored, opening: await store.opening, isCheckDue: await store.isCheckDue,
            notes: stored.unreadable.map { "The stored setting \($0) cannot be read." } + [problem].compactMap(\.self),
            volatile: (file, volatile, problem), trial: try await store.trial(), origins: try await store.origins(),
            prints: try await store.fingerprints(), sources: board.sources)
        for note in state.storeNotes + state.notes { log.error("\(note)") }
        return state
    }

    /// Phase 2: opens the system that the settings are applied to, below the root directory if there is one, and removes
    /// the temporary files of interrupted writes.
    ///
    /// Parts of the system that cannot be inspected are logged; their settings are not followed.
    ///
    /// - Throws: The reason why the root directory could not be opened.
    func openSystem(_ state: StartState, _ areas: FileAreas) async throws -> SystemApplier {
        let touched =
            state.origins.map(\.resource) + state.prints.map(\.resource)
            + (state.trial?.mementos.map(\.resource) ?? [])
        let system = try SystemResources(
            root: paths.root, documents: areas.directory(of: .documents),
            fileCalls: SystemFileCalls(counting: board.writes.system))
        let applier = SystemApplier(
            of: system, rules: board.adapters(of: state.sources), loop: loop,
            workers: (board.programs.worker, board.programs.probing), staging: paths.runtime.appending("staged"),
            isComplete: state.sources.isComplete,
            keeping: touched.compactMap(Resource.init(text:)))
        for failure in applier.failures { log.error("\(failure) The settings that depend on it are not followed.") }
        // If nothing was ever set there is nothing to sweep, and no thread is started for it.
        guard state.trial != nil || !touched.isEmpty || !state.volatile.state.settings.isEmpty else { return applier }
        do {
            let count = try await applier.sweep()
            if count > 0 { log.notice("removed \(count) temporary files of interrupted writes") }
        } catch {
            log.warning("temporary files of interrupted writes may remain: \(error)")
        }
        return applier
    }

    /// Phase 3: creates the engine from what was read.
    func openEngine(
        _ store: SettingsStore, _ state: StartState, _ applier: SystemApplier, _ prober: ProbeRunner, _ bus: EventBus,
        _ upkeep: StoreUpkeep
    ) async -> SettingsEngine {
        let engine = SettingsEngine(
            loop: loop, store: (store, state.opening), state: state.stored, sources: state.sources.sources,
            volatile: (state.volatile.file, state.volatile.state), applier: applier, prober: prober, bus: bus, log: log
        ) { [loop, configuration] settings in
            configuration.followLogLevel(settings)
            loop.task { await upkeep.follow(settings) }
        }
        await engine.load(state.origins, state.prints)
        return engine
    }

    /// Phase 4: resumes or reverts the change on trial from a former run of the service.
    func resumeTrial(_ engine: SettingsEngine, _ state: StartState) async {
        guard let trial = state.trial else { return }
        let outcome = await engine.resume(trial)
        log.notice("\(outcome)")
    }

    /// Phase 5: reconciles the system with the settings; in failsafe mode they are unknown, so the system stays as it
    /// was found.
    func reconcile(_ engine: SettingsEngine, _ state: StartState, _ bus: EventBus) async {
        guard !state.opening.isFailsafe else { return }
        let mark = BootMark(directory: paths.runtime, bootID: bus.bootID)
        // Below a root directory there is no kernel that could have been restarted.
        let isBoot = paths.root == nil && !mark.isThere
        let root = isBoot ? RootMark(state: paths.state) : nil
        let isReplaced = root?.isReplaced == true
        if isReplaced { log.notice("an update has replaced the root file system; its files are not taken for edits") }
        await engine.reconcileAtStartup(
            isBoot ? .boot : .restart, isComplete: state.sources.isComplete,
            leavesFiles: state.opening.fallback != nil && state.opening.restored != nil, isRootReplaced: isReplaced)
        if isBoot {
            do {
                try mark.put()
            } catch {
                log.warning("the next start of the service will count as the first one of this boot: \(error)")
            }
            do {
                if state.opening.fallback == nil { try root?.put() }
            } catch {
                log.warning("an update that replaces the root file system may not be recognised: \(error)")
            }
        }
        log(await engine.status)
    }

    /// Phase 6: applies the settings of the service itself.
    func followSettings(_ engine: SettingsEngine, _ upkeep: StoreUpkeep) async {
        let settings = await engine.settings
        logInactive(settings)
        configuration.followLogLevel(settings)
        await upkeep.follow(settings)
    }

    // MARK: Events and clients

    /// Phase 7: loads the hooks.
    func openHooks(_ bus: EventBus) async -> HookRunner {
        var limits = HookQueue.Limits()
        limits.concurrency = configuration.current.hookConcurrency
        return HookRunner(
            loop: loop, hooks: await board.loadHooks(),
            context: HookContext(instance: bus.instance, bootID: bus.bootID, socket: paths.socket.string),
            limits: limits
        ) { [log, pages] notice in
            pages.touched()
            log.log(level: notice.isProblem ? .warning : .debug, "\(notice)")
        }
    }

    /// Phase 8: subscribes to the kernel's events.
    ///
    /// - Throws: `ObserverError` if a socket cannot be opened.
    func openObservers(_ bus: EventBus, _ hooks: HookRunner, _ prober: ProbeRunner) async throws -> Observation {
        let observation = try Observation(
            loop: loop, bus: bus, choice: configuration.current.deviceSource, libudev: libudev, runtime: paths.runtime,
            state: paths.state, hasInbox: board.missingMount == nil, log: log, pace: { await hooks.waitForSpace() })
        let links = observation.linkObserver
        prober.follow { await links.isReady ? await links.table : nil }
        await hooks.follow { [weak observation] source, after in
            await observation?.inventory(of: source, after: after) ?? InventoryPage()
        }
        return observation
    }

    /// Phase 9: creates the server for clients.
    func openServer(_ parts: AgentParts, _ state: StartState) -> VarlinkServer {
        let (configuration, board, file) = (configuration, board, paths.configurationFile)
        let doctor = Doctor(
            engine: parts.engine, observation: parts.observation, hooks: parts.hooks, prober: parts.prober,
            files: parts.areas,
            store: Doctor.Store(
                file: paths.state.appending("settings.db").string, notes: state.storeNotes,
                unreadable: state.stored.unreadable,
                volatile: (state.volatile.file.path.string, state.volatile.problem), isOfMachine: paths.root == nil,
                missingMount: board.missingMount),
            configuration: { (file.string, configuration.problem) }, tokens: socket.tokens,
            missingGroup: socket.missingGroup, loaded: { board.sources })
        let status = StatusService(
            sources: StatusService.Sources(
                started: started.wall, startedBoot: started.boot, paths: paths, engine: parts.engine,
                store: parts.store, bus: parts.bus, observation: parts.observation, hooks: parts.hooks,
                prober: parts.prober, files: parts.areas, writes: board.writes, doctor: doctor,
                storeNotes: state.storeNotes + state.notes,
                configurationProblem: { configuration.problem?.text(in: file) }))
        let links: @Sendable () async -> [Link] = { await parts.observation.links() }
        let server = VarlinkServer(
            loop: loop,
            services: [
                SettingsService(
                    engine: parts.engine, hooks: parts.hooks, access: socket.access, doctor: doctor,
                    files: parts.areas, reloader: parts.reloader,
                    installedSchemas: InstalledSchemas(paths, policy: board.policy), worker: worker, links: links),
                TransactionsService(engine: parts.engine, links: links),
                SnapshotsService(engine: parts.engine, hooks: parts.hooks, areas: parts.areas),
                SystemService(engine: parts.engine, hooks: parts.hooks),
                EventsService(bus: parts.bus, observation: parts.observation, hooks: parts.hooks),
                HooksService(hooks: parts.hooks, bootID: parts.bus.bootID),
                FilesService(areas: parts.areas), status,
            ],
            configuration: socket.configuration(stallTimeout: configuration.current.stallTimeout))
        status.attach(server)
        return server
    }

    // MARK: Reports

    /// Logs the failures and the drift of the system.
    func log(_ status: SyncStatus) {
        for failure in status.failures { log.error("\(failure.message)") }
        for drift in status.drift { log.warning("\(drift.sentence); see 'cleat drift'") }
    }

    /// Logs the stored values that are not in force, up to a limit.
    func logInactive(_ settings: LayeredSettings) {
        let inactive = settings.inactive.ordered { $0.key < $1.key }
        for (path, problem) in inactive.prefix(Self.inactiveLogged) {
            log.warning("the stored value of \(path) is not in force: it \(problem.reason)")
        }
        if inactive.count > Self.inactiveLogged {
            log.warning(
                "\(inactive.count - Self.inactiveLogged) more stored values are not in force; see 'cleat doctor'")
        }
    }

    /// The maximum number of stored values that are not in force and are logged one by one.
    private static let inactiveLogged = 32
}

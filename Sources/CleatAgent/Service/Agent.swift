import CleatAPI
import CleatHooks
package import CleatIO
package import CleatObservers
import CleatStore
import CleatVarlink
package import Logging
import SystemPackage

/// The service: opens the store, follows devices and links, runs hooks and answers clients, until a signal ends it.
package final class Agent: Sendable {
    let loop: EventLoop
    let log: Logger
    let configuration: RunningConfiguration
    let board: BoardFiles
    let socket: ClientSocket
    let libudev: DeviceSourceOpener?
    let notify = Notify()
    let worker = Worker()
    /// Rings when the mounts have changed, or the configuration that names them.
    let mountAlarm: Alarm
    let pages: ProgramPages
    /// True if the check of the store's history may follow the start.
    let defersCheck: Bool
    let started = (wall: WallTime.now(), boot: BootTime.now())

    /// The reason why a run has ended in order.
    package enum Ending: Sendable {
        /// A signal.
        case asked
        /// The mounts that the store waited for have changed, or its file system is writable now; another run uses it.
        case mounted
        /// The store is damaged; another run repairs it.
        case damaged
    }

    /// The paths of the service's files.
    var paths: AgentPaths { board.paths }

    /// Prepares a service; nothing happens before ``run()``.
    ///
    /// - Parameters:
    ///   - loop: The loop that it lives on.
    ///   - options: The command line.
    ///   - paths: The paths of its files.
    ///   - log: The log that it writes to.
    ///   - threshold: The least level that `log` writes; the service changes it according to the settings.
    ///   - libudev: Opens a source of libudev; nil if the program does not link it.
    ///   - former: The end of the run before this one; the store is checked whole first if that was damage in it.
    ///   - logged: Returns the bytes that were written to the log.
    package init(
        loop: EventLoop, options: AgentOptions, paths: AgentPaths, log: Logger, threshold: LogThreshold,
        libudev: DeviceSourceOpener? = nil, after former: Ending = .asked,
        logged: @escaping @Sendable () -> Int64 = { 0 }
    ) {
        self.libudev = libudev
        self.loop = loop
        self.log = log
        mountAlarm = Alarm(loop: loop)
        configuration = RunningConfiguration(options, paths, log: log, threshold: threshold)
        board = BoardFiles(options, paths, configuration, loop: loop, log: log, logged: logged)
        defersCheck = former != .damaged
        pages = ProgramPages(on: loop) { ProgramPages.release(log) }
        socket = ClientSocket(
            path: paths.socket, tokens: TokenAuthenticator(file: paths.tokensFile, root: paths.root, log: log),
            log: log, pages: pages)
    }

    /// Runs the service until SIGTERM or SIGINT, or until the store must be opened again.
    ///
    /// - Returns: The reason; unless it is `asked`, another ``Agent`` is to serve.
    /// - Throws: A failure to start: the store, the socket, the kernel's event sockets.
    package func run() async throws -> Ending {
        let signals = try loop.signals([.terminate, .interrupt, .hangUp])
        let watchdog = loop.task(name: "watchdog") { await self.beatWatchdog() }
        defer { watchdog.cancel() }
        configuration.load()
        try board.makeDirectories()
        socket.tokens.load()
        let bus = EventBus(bootID: BootID.current().text)
        // The store is opened on a thread of its own, and the board's files are read meanwhile.
        let thread = ThreadExecutor(name: "store")
        let opening = loop.task { [board, defersCheck] in
            try await board.openStore(on: thread, bootID: bus.bootID, defersCheck: defersCheck)
        }
        await loop.yield()
        board.loadSources()
        let store = try await opening.value
        let ending: Ending
        do {
            ending = try await serve(store, bus, signals)
        } catch {
            await close(store, bus)
            throw error
        }
        await close(store, bus)
        await board.programs.shutdown()
        worker.shutdown()
        thread.shutdown()
        if ending == .asked { log.notice("cleatd has ended") }
        return ending
    }

    private func close(_ store: SettingsStore, _ bus: EventBus) async {
        do {
            try await store.close(.now(bootID: bus.bootID))
        } catch {
            log.error("\(error)")
        }
        board.removeFallback()
    }

    private func serve(_ store: SettingsStore, _ bus: EventBus, _ signals: SignalSequence) async throws -> Ending {
        let (parts, server) = try await start(store, bus)
        return try await run(parts, server, try socket.listen(on: loop), signals)
    }

    /// Goes through the phases of a start, in the order that each of them needs: what a change on trial needs comes
    /// before anything follows the settings, and clients are answered last.
    ///
    /// The data that is read at startup is released when it returns.
    private func start(
        _ store: SettingsStore, _ bus: EventBus
    ) async throws -> (parts: AgentParts, server: VarlinkServer) {
        let state = try await readState(store, bus)
        let areas = board.openAreas(worker)
        let applier = try await openSystem(state, areas)
        let prober = ProbeRunner(loop: loop, probes: board.loadProbes(), socket: paths.socket.string)
        let upkeep = StoreUpkeep(loop: loop, store: store, bootID: bus.bootID, log: log) { [board] in
            if state.opening.fallback == nil { try board.writes.save(in: board.paths.state) }
        }
        board.writes.load(in: paths.state)
        let engine = await openEngine(store, state, applier, prober, bus, upkeep)
        await resumeTrial(engine, state)
        await reconcile(engine, state, bus)
        await followSettings(engine, upkeep)
        let hooks = await openHooks(bus)
        let observation = try await openObservers(bus, hooks, prober)
        let parts = AgentParts(
            bus: bus, store: store, engine: engine, observation: observation, hooks: hooks, prober: prober,
            areas: areas, upkeep: upkeep, isCheckDue: state.isCheckDue)
        return (parts, openServer(parts, state))
    }
}

/// The objects that live as long as the service serves.
struct AgentParts: Sendable {
    let bus: EventBus
    let store: SettingsStore
    let engine: SettingsEngine
    let observation: Observation
    let hooks: HookRunner
    let prober: ProbeRunner
    let areas: FileAreas
    let upkeep: StoreUpkeep
    /// True if the check of the store follows the start.
    let isCheckDue: Bool
    let reloader = Reloader()
}

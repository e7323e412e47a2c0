import CleatAPI
import CleatHooks
package import CleatIO
import CleatJSON
import CleatObservers
import CleatSandbox
import CleatSettings
import CleatStore
import CleatVarlink
package import Logging
import Synchronization
import SystemPackage

/// The service: opens the store, follows devices and links, runs hooks and answers clients, until it is told to stop.
package final class Agent: Sendable {
    private struct State {
        var configuration = AgentConfiguration()
        var configurationProblem: ConfigurationProblem?
        var loaded = LoadedSources()
        var logLevelSetting: LogLevel?
    }

    let loop: EventLoop
    private let options: AgentOptions
    let paths: AgentPaths
    let log: Logger
    private let threshold: LogThreshold
    private let notify = Notify()
    private let started = WallTime.now()
    private let startedBoot = BootTime.now()
    private let storeThread = ThreadExecutor(name: "store")
    let worker = Worker()
    private let state = Mutex(State())
    private let access = Access(owner: ProcessSelf.uid, group: UserDatabase.gid(ofGroup: Access.group))

    /// Prepares a service; nothing happens before ``run()``.
    ///
    /// - Parameters:
    ///   - loop: The loop that it lives on.
    ///   - options: The command line.
    ///   - paths: Where it keeps what it keeps.
    ///   - log: Where it says what happens.
    ///   - threshold: The least level that `log` writes; the service changes it as settings say.
    package init(loop: EventLoop, options: AgentOptions, paths: AgentPaths, log: Logger, threshold: LogThreshold) {
        self.loop = loop
        self.options = options
        self.paths = paths
        self.log = log
        self.threshold = threshold
    }

    /// What was read of the board's files.
    var loadedSources: LoadedSources { state.withLock { $0.loaded } }

    /// Keeps what was read of the board's files.
    func remember(_ loaded: LoadedSources) {
        state.withLock { $0.loaded = loaded }
    }

    /// The file with factory data that the configuration names.
    var factoryFile: FilePath? { state.withLock { $0.configuration.factory } }

    /// Runs the service until SIGTERM or SIGINT.
    ///
    /// - Throws: What keeps it from starting: the store, the socket, the kernel's event sockets.
    package func run() async throws {
        let signals = try loop.signals([.terminate, .interrupt, .hangUp])
        try makeDirectories()
        loadConfiguration()

        let bootID = BootID.current().text
        let store = try await SettingsStore.open(
            directory: paths.state, executor: storeThread, stamp: .now(bootID: bootID))
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
        let opening = await store.opening.notes
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
        let engine = SettingsEngine(
            loop: loop, store: store, state: stored, sources: loaded.sources,
            volatile: (volatileFile, volatile.state), follower: try makeFollower(loaded), bus: bus
        ) { settings in
            self.followLogLevel(settings)
            self.loop.task { await upkeep.follow(settings) }
        }
        if let trial = try await store.trial() {
            log.notice("change \(trial.id) of \(trial.owner) was on trial when the service ended (\(trial.phase.word))")
            await engine.resume(trial)
        }
        // The engine has them in order; a second copy would stay for as long as the service runs.
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
        ) { [log] notice in
            log.log(level: notice.isProblem ? .warning : .info, "\(notice)")
        }
        let observation = try Observation(
            loop: loop, bus: bus, choice: configuration.deviceSource, runtime: paths.runtime, state: paths.state,
            log: log, pace: { await hooks.room() })
        let files = openFiles(configuration)
        let doctor = Doctor(
            engine: engine, hooks: hooks, files: files,
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
                observation: observation, hooks: hooks, files: files, doctor: doctor, storeNotes: notes,
                configurationProblem: {
                    self.state.withLock { $0.configurationProblem?.text(in: self.paths.configurationFile) }
                }))
        let server = VarlinkServer(
            loop: loop,
            services: [
                try SettingsService(engine: engine, hooks: hooks, access: access, doctor: doctor, worker: worker),
                try TransactionsService(engine: engine), try EventsService(bus: bus, observation: observation),
                try HooksService(hooks: hooks, bootID: bus.bootID), try FilesService(areas: files), status,
            ],
            configuration: serverConfiguration(stallTimeout: configuration.stallTimeout))
        status.attach(server)
        let listener = try listen()

        let parts = AgentParts(
            bus: bus, engine: engine, observation: observation, hooks: hooks, files: files, server: server,
            listener: listener, upkeep: upkeep)
        try await run(parts, signals, generation: stored.generation.generation)
    }

    private func run(_ parts: AgentParts, _ signals: SignalSequence, generation: Int64) async throws {
        var failure: (any Error)?
        let events = parts.bus.subscribe(buffer: Self.hookEventBuffer)
        await withTaskGroup(of: End?.self) { group in
            group.addTask(executorPreference: loop) {
                await parts.observation.run { self.releaseStart() }
                return nil
            }
            group.addTask(executorPreference: loop) {
                await self.feed(parts.hooks, from: events); return nil
            }
            group.addTask(executorPreference: loop) { await self.accept(parts) }
            group.addTask(executorPreference: loop) {
                await self.beatWatchdog(); return nil
            }
            group.addTask(executorPreference: loop) { await self.obey(signals, parts) }

            notify.ready(status: "Serving \(paths.socket)")
            log.notice("cleatd \(CleatVersion.text) serves \(paths.socket), generation \(generation)")
            for await end in group {
                guard let end else { continue }
                if case .failed(let error) = end { failure = error }
                break
            }

            notify.stopping()
            // New clients are turned away before anything else ends, so that nobody is answered by half a service.
            parts.listener.close()
            group.cancelAll()
            await parts.hooks.shutdown()
        }
        await parts.engine.stop()
        await parts.upkeep.stop()
        await parts.observation.save()
        parts.bus.close()
        if let failure { throw failure }
    }

    /// Lets go of the program's pages, at the end of the start: most of those that it has touched it never needs again.
    private func releaseStart() {
        do {
            let bytes = try ProcessMemory.releaseProgram()
            log.debug("the pages of \(bytes) bytes of program are left to the page cache")
        } catch {
            log.debug("the program's pages stay mapped: \(error)")
        }
    }

    /// Waits for the signal that ends the service; reloads on SIGHUP.
    private func obey(_ signals: SignalSequence, _ parts: AgentParts) async -> End {
        do {
            for try await signal in signals {
                guard signal == .hangUp else { break }
                notify.reloading()
                loadConfiguration()
                let configuration = state.withLock { $0.configuration }
                await parts.server.setStallLimit(configuration.stallTimeout)
                parts.files.setQuotas(configuration.quotas)
                await parts.hooks.reload(await loadHooks(), concurrency: configuration.hookConcurrency)
                await reloadSources(parts.engine)
                log.notice("configuration, hooks, schemas, defaults and locks have been read again")
                notify.ready()
            }
            return .asked
        } catch {
            return .failed(FileError(description: "signals can no longer be heard: \(error)"))
        }
    }

    private func feed(_ hooks: HookRunner, from events: EventSubscription) async {
        while let delivery = await events.next() {
            switch delivery {
            case .event(let event): await hooks.handle(event)
            case .lost(let count): log.warning("\(count) events came faster than hooks could be matched and were lost")
            }
        }
    }

    /// Serves clients; a service that nobody can reach any more ends, for its manager to start it anew.
    private func accept(_ parts: AgentParts) async -> End? {
        do {
            try await parts.server.serve(parts.listener)
            return nil
        } catch is CancellationError {
            return nil
        } catch {
            return .failed(FileError(description: "no more clients can be accepted: \(error)"))
        }
    }

    /// Tells the service manager that the loop turns, at half of the time after which it would lose patience.
    private func beatWatchdog() async {
        guard let interval = notify.watchdogInterval else { return }
        while (try? await loop.sleep(for: interval / 2)) != nil {
            notify.watchdog()
        }
    }

    // MARK: Files

    private func makeDirectories() throws {
        if let root = paths.root {
            // An absolute link in an image leads to the machine that the image is configured on.
            for path in [paths.state, paths.runtime, paths.config, paths.socket] {
                guard let link = FileMoves.link(below: root, on: path) else { continue }
                throw FileError(
                    description:
                        "\(link) is a symbolic link, which could lead out of \(root); name the directory that is meant "
                        + "with --state, --runtime or --config")
            }
        }
        let socketDirectory = paths.socket.removingLastComponent()
        do {
            if let root = paths.root { try FileMoves.makeDirectories(root, mode: 0o755) }
            try FileMoves.makeDirectories(paths.state, mode: 0o700)
            try FileMoves.makeDirectories(paths.runtime, mode: 0o755)
            try FileMoves.makeDirectories(socketDirectory, mode: 0o755)
        } catch {
            throw FileError(
                description:
                    "cannot make the directories \(paths.state) and \(paths.runtime): \(error); give others with --state "
                    + "and --runtime")
        }
        for (directory, sticky) in [(paths.state, false), (paths.runtime, false), (socketDirectory, true)] {
            guard let reason = FileMoves.distrust(directory, sticky: sticky) else { continue }
            throw FileError(
                description:
                    "\(directory) \(reason), who could exchange what is in it; give it to this user with chown and chmod "
                    + "0755, or name another one")
        }
    }

    /// Reads the configuration; a file that does not fit is refused, and what held before still holds.
    private func loadConfiguration() {
        let file = paths.configurationFile
        var problem: ConfigurationProblem?
        do {
            let text = try BoundedFile.read(file, limit: AgentConfiguration.sizeLimit)
            let configuration = try text.map { text in try AgentConfiguration(text: text) } ?? AgentConfiguration()
            state.withLock { $0.configuration = configuration }
        } catch let error as ConfigurationError {
            problem = ConfigurationProblem(position: error.position, message: error.message)
        } catch {
            problem = ConfigurationProblem(message: "\(error)")
        }
        state.withLock { $0.configurationProblem = problem }
        if let problem { log.error("\(problem.text(in: file)); what held before still holds") }
        setLogLevel()
    }

    private func loadHooks() async -> HookSet {
        let hooks = await HookSet.load(directories: paths.hookDirectories.map(\.string), on: loop)
        for problem in hooks.problems {
            let place = problem.line.map { ":\($0):\(problem.column ?? 1)" } ?? ""
            log.error("\(problem.file)\(place): \(problem.message); the other hooks stay in force")
        }
        return hooks
    }

    /// Opens the areas of files; the service is of use without one that cannot be opened.
    private func openFiles(_ configuration: AgentConfiguration) -> FileAreas {
        let directory = paths.state.appending("files")
        do {
            try FileMoves.makeDirectories(directory, mode: 0o750)
        } catch {
            // Each area says what is in its way.
            log.error("cannot make the directory \(directory): \(error)")
        }
        let files = FileAreas(directory: directory, quotas: configuration.quotas, worker: worker)
        for problem in files.problems { log.error("\(problem.message) The other areas are served.") }
        return files
    }

    // MARK: Log level

    private func followLogLevel(_ settings: LayeredSettings) {
        let setting = (try? SettingPath("agent/log/level")).flatMap(settings.value)
        let level = setting.flatMap { $0.isInForce ? $0.value?.stringValue : nil }.flatMap(LogLevel.init(rawValue:))
        state.withLock { $0.logLevelSetting = level }
        setLogLevel()
    }

    /// The command line counts most, then the setting, then the configuration file.
    private func setLogLevel() {
        let (setting, configured) = state.withLock { ($0.logLevelSetting, $0.configuration.logLevel) }
        threshold.level = (options.logLevel ?? setting ?? configured ?? .info).level
    }

    // MARK: Socket

    /// How many events may wait to be matched with hooks.
    private static let hookEventBuffer = 8_192

    private func listen() throws -> UnixListener {
        let group = UserDatabase.gid(ofGroup: Access.group)
        // Giving the socket to the group is for root alone; a user's own service is for that user.
        let isShared = group != nil && ProcessSelf.uid == 0
        return try UnixListener(
            loop: loop, path: paths.socket.string, mode: isShared ? 0o660 : 0o600, group: isShared ? group : nil)
    }

    private func serverConfiguration(stallTimeout: Duration) -> VarlinkServer.Configuration {
        var limits = VarlinkLimits.standard
        limits.stall = stallTimeout
        return VarlinkServer.Configuration(
            vendor: "Cleat", product: "cleatd", version: CleatVersion.text, url: "https://cleat.dev", limits: limits,
            tooManyConnections: VarlinkError(APIError.tooManyConnections(limit: limits.connections)),
            access: { [access] peer, interface, method in
                let operation = Access.operation(interface: interface, method: method)
                guard !access.decide(peer, operation) else { return nil }
                return VarlinkError(
                    APIError.permissionDenied(
                        message:
                            "user \(peer.uid) may not call \(interface).\(method); root and user \(ProcessSelf.uid) may, "
                            + "and members of group \(Access.group) may read and set"))
            },
            mapError: { error in
                if let error = error as? APIError { return VarlinkError(error) }
                return VarlinkError(APIError.storeFailed(code: "internal", message: "\(error)"))
            },
            ended: { [log] peer, reason in
                switch reason {
                case .closed, .disconnected, .stopped: return
                case .malformed(let text):
                    log.warning("client of user \(peer.uid), pid \(peer.pid): \(text); disconnected")
                case .stalled:
                    log.warning("client of user \(peer.uid), pid \(peer.pid) does not read its answers; disconnected")
                case .unfinished:
                    log.warning(
                        "client of user \(peer.uid), pid \(peer.pid) has others wait for the rest of its message; disconnected"
                    )
                case .refused:
                    log.warning("client of user \(peer.uid), pid \(peer.pid): too many connections; turned away")
                }
            })
    }
}

/// What ends the service.
private enum End: Sendable {
    case asked
    case failed(any Error)
}

/// What lives for as long as the service serves.
private struct AgentParts: Sendable {
    let bus: EventBus
    let engine: SettingsEngine
    let observation: Observation
    let hooks: HookRunner
    let files: FileAreas
    let server: VarlinkServer
    let listener: UnixListener
    let upkeep: StoreUpkeep
}

extension VarlinkError {
    /// The error as it goes over the wire.
    init(_ error: APIError) {
        self.init(error.name, error.parameters)
    }
}

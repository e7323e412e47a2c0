package import CleatAdapters
import CleatHooks
package import CleatIO
package import CleatObservers
package import CleatSettings
import CleatStore
package import Logging
package import SystemPackage

/// The settings of a program that has no service: the engine on a store of the program's own, with adapters of the
/// program, and without those of the board, hooks and kernel events.
package final class LocalSettings: Sendable {
    /// The engine.
    package let engine: SettingsEngine
    /// The bus that changes are published on.
    package let bus: EventBus
    /// The events of the program.
    package let apps: AppObserver
    /// The repairs of the store when it was opened, in sentences.
    package let notes: [String]
    private let store: SettingsStore
    private let upkeep: StoreUpkeep
    /// Removes kept events at the end of their time.
    private let expiry: Task<Void, any Error>

    private init(
        _ engine: SettingsEngine, _ bus: EventBus, _ notes: [String], _ store: SettingsStore, _ upkeep: StoreUpkeep
    ) {
        (self.engine, self.bus, self.notes, self.store) = (engine, bus, notes, store)
        self.upkeep = upkeep
        let apps = AppObserver(loop: engine.loop, bus: bus)
        self.apps = apps
        expiry = engine.loop.task { try await apps.run() }
    }

    /// Opens the store of a directory, or creates one, and ends a change on trial whose window is over.
    ///
    /// - Parameters:
    ///   - directory: The store's own directory, an absolute path; created if it is missing.
    ///   - schema: The schema of the settings.
    ///   - adapters: The adapters of the program.
    ///   - loop: The event loop that the engine runs on.
    ///   - log: The log of changes, and of problems with the second copy.
    ///   - onChange: Called with the settings in force: now, and after each change.
    /// - Returns: The open settings.
    /// - Throws: `FileError` for a directory that other users can change; `StoreError` if the store cannot be opened.
    package static func open(
        at directory: FilePath, schema: Schema, adapters: [ProgramAdapter] = [], on loop: EventLoop, log: Logger,
        onChange: @escaping @Sendable (LayeredSettings) -> Void
    ) async throws -> LocalSettings {
        // The store itself refuses what is no directory, with the remedy for that.
        if FileMoves.isDirectory(directory), let reason = FileMoves.distrust(directory, sticky: false) {
            throw FileError(
                description:
                    "\(directory) \(reason), who could replace its contents; give it to this user with chown and chmod "
                    + "0700, or name another one")
        }
        let thread = ThreadExecutor(name: "store")
        do {
            return try await open(at: directory, schema, adapters, loop, log, thread, onChange)
        } catch {
            thread.shutdown()
            throw error
        }
    }

    private static func open(
        at directory: FilePath, _ schema: Schema, _ adapters: [ProgramAdapter], _ loop: EventLoop, _ log: Logger,
        _ thread: ThreadExecutor, _ onChange: @escaping @Sendable (LayeredSettings) -> Void
    ) async throws -> LocalSettings {
        let bus = EventBus(bootID: BootID.current().text)
        let store = try await SettingsStore.open(
            directory: directory, executor: thread, stamp: .now(bootID: bus.bootID))
        let (opening, stored) = (await store.opening, try await store.snapshot())
        let worker = Worker()
        let upkeep = StoreUpkeep(loop: loop, store: store, bootID: bus.bootID, log: log) {}
        let engine = SettingsEngine(
            loop: loop, store: (store, opening), state: stored, sources: SettingsSources(schema: schema),
            volatile: (VolatileFile(directory: directory, bootID: bus.bootID, worker: worker), VolatileState()),
            applier: try SystemApplier(
                following: adapters, loop: loop,
                worker: adapters.isEmpty ? worker : Worker(name: "adapters", idleExit: .seconds(1))),
            prober: ProbeRunner(loop: loop, probes: ProbeSet(), socket: ""), bus: bus, log: log
        ) { settings in
            onChange(settings)
            loop.task { await upkeep.follow(settings) }
        }
        if let trial = try await store.trial() {
            let outcome = await engine.resume(trial)
            log.notice("\(outcome)")
        }
        if !adapters.isEmpty {
            await engine.load(try await store.origins(), try await store.fingerprints())
            // The states of adapters may be those of the program, which has just been started.
            await engine.reconcileAtStartup(.boot, isComplete: true)
        }
        onChange(await engine.queries.settings)
        await upkeep.follow(await engine.queries.settings)
        let notes = opening.notes + stored.unreadable.map { "The stored setting \($0) cannot be read." }
        return LocalSettings(engine, bus, notes, store, upkeep)
    }

    /// Closes the store, after it has written a stale second copy; a change on trial continues with the next opening.
    ///
    /// - Throws: `StoreError` if the second copy could not be written; the store is closed all the same.
    package func close() async throws {
        expiry.cancel()
        await engine.stop()
        await upkeep.stop()
        bus.close()
        // The thread would otherwise wait for work for ever.
        defer { store.executor.shutdown() }
        try await store.close(.now(bootID: bus.bootID))
    }
}

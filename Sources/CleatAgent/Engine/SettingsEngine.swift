package import CleatAPI
package import CleatAdapters
package import CleatHooks
package import CleatIO
import CleatJSON
package import CleatObservers
package import CleatSettings
package import CleatStore
package import Logging

/// The façade of the settings: it routes requests to the parts of the engine, serialises writers, and keeps the tasks
/// that wait for a deadline or check probes.
///
/// Reads never wait for a commit: while one is being written to the disk, they see the generation before.
package actor SettingsEngine {
    nonisolated let loop: EventLoop
    /// The lock of all that writes: one change at a time, in the order of arrival.
    nonisolated let writeLock = AsyncMutex()
    let live: LiveState
    let reconciler: SystemReconciler
    let runner: TransactionRunner
    private let writer: SettingsWriter
    private let drifts: DriftResolver
    private let snapshots: SnapshotCoordinator
    private let group = GroupCommit()
    private var waiting = WaitingTasks()

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe loop.asUnownedSerialExecutor() }

    /// Creates an engine from the state that a store holds.
    ///
    /// - Parameters:
    ///   - loop: The event loop that the engine runs on.
    ///   - store: The store that commits go to, and the report of its opening.
    ///   - state: The contents of the store when it was opened.
    ///   - sources: The contents of the board's files: schemas, defaults, factory data, locks.
    ///   - volatile: The file that volatile changes go to, and the state that was read from it.
    ///   - applier: The applier, which applies the settings to the system.
    ///   - prober: The runner that checks probes.
    ///   - bus: The bus that changes are published on.
    ///   - log: The log that gets one line for each change of the board; nil for none.
    ///   - now: Reads the clock of confirm windows and retries.
    ///   - onCommit: Called with the settings after each change.
    package init(
        loop: EventLoop, store: (store: SettingsStore, opening: StoreOpening), state: StoredState,
        sources: SettingsSources, volatile: (file: VolatileFile, state: VolatileState), applier: SystemApplier,
        prober: ProbeRunner, bus: EventBus, log: Logger? = nil, now: @escaping @Sendable () -> BootTime = BootTime.now,
        onCommit: @escaping @Sendable (LayeredSettings) -> Void
    ) {
        self.loop = loop
        let services = EngineServices(
            loop: loop, store: store.store, opening: store.opening, bus: bus, prober: prober,
            volatileFile: volatile.file,
            journal: ChangeJournal(log), now: now, pause: { try await loop.sleep(for: $0) }, onCommit: onCommit)
        let settings = LayeredSettings(
            sources: sources,
            committed: SettingsTree(state.settings.map { SettingsTree.Row(path: $0.path, value: $0.value) }),
            volatile: volatile.state.settings)
        live = LiveState(
            services: services,
            state: SettingsState(settings: settings, reference: state.generation, volatile: volatile.state),
            applier: applier)
        reconciler = SystemReconciler(live)
        runner = TransactionRunner(live, reconciler)
        writer = SettingsWriter(
            live: live, reconciler: reconciler, runner: runner, history: SettingsHistory(live: live))
        drifts = DriftResolver(live: live, reconciler: reconciler, writer: writer)
        snapshots = SnapshotCoordinator(live: live, writer: writer)
    }

    /// The tasks of the engine that wait or run programs without a change.
    private struct WaitingTasks {
        /// The task that waits for the next deadline or retry, with its instant.
        var timer: (instant: BootTime, task: Task<Void, Never>)?
        /// The task that runs the programs of the startup.
        var startup: Task<Void, Never>?
        /// The task that retries failed actions.
        var retry: Task<Void, Never>?
        /// True once the service ends: nothing is started any more.
        private(set) var isStopped = false

        /// Cancels them all for good.
        mutating func stop() {
            isStopped = true
            startup?.cancel()
            retry?.cancel()
            timer?.task.cancel()
        }
    }

    // MARK: Life

    /// Stores the resources that were read from the store at startup.
    package func load(_ origins: [StoredOrigin], _ prints: [StoredFingerprint]) {
        live.resources.load(origins, prints)
    }

    /// Checks the whole store, unless its opening has done so; changes that are requested meanwhile wait for it.
    ///
    /// - Throws: `StoreError` if it is damaged, in which case it takes no changes, or if it cannot be read; `doctor`
    ///   reports it, too.
    package func checkStore() async throws {
        do {
            try await live.services.store.checkIfDue(.now(bootID: live.services.bootID))
        } catch {
            live.checkFailure = error.description.withoutFullStop
            throw error
        }
    }

    /// Resumes a change on trial from a former run of the service; called before anything else happens.
    ///
    /// - Returns: A sentence that describes its state.
    package func resume(_ stored: StoredTrial) async -> String {
        await writing {
            await runner.resume(stored)
            return runner.resumed(stored)
        }
    }

    /// Reconciles the system with the settings at startup, and starts the programs that reload what was written.
    ///
    /// - Parameters:
    ///   - occasion: The occasion, which shows if the kernel was restarted, too.
    ///   - isComplete: True if all files could be read; otherwise resources that no setting claims any more stay.
    ///   - leavesFiles: True if files stay as they are, since the settings may be older than they, and only kernel
    ///     state is written.
    ///   - isRootReplaced: True if an update has replaced the root file system.
    package func reconcileAtStartup(
        _ occasion: Reconciliation.Occasion, isComplete: Bool, leavesFiles: Bool = false, isRootReplaced: Bool = false
    ) async {
        let actions = await writing {
            await reconciler.reconcileAtStartup(
                occasion, isComplete: isComplete, leavesFiles: leavesFiles, isRootReplaced: isRootReplaced)
        }
        let hasPrograms = await reconciler.hasPrograms
        guard !actions.isEmpty || hasPrograms else { return }
        waiting.startup = loop.task(name: "actions of the start") { await self.finishStartup(occasion, actions) }
    }

    private func finishStartup(_ occasion: Reconciliation.Occasion, _ actions: [[AdapterAction]]) async {
        await reconciler.runStartup(actions)
        if await reconciler.hasPrograms, !Task.isCancelled {
            await reconciler.askPrograms()
            await writing { await reconciler.reconcilePrograms(occasion) }
        }
        waiting.startup = nil
    }

    /// Applies other contents of the board's files; watchers are notified of the effects, and events are emitted.
    ///
    /// - Parameters:
    ///   - sources: The present contents of the board's files.
    ///   - adapters: The adapters of the schemas in force.
    ///   - isComplete: True if all files could be read; otherwise resources that no setting claims any more stay.
    package func reload(_ sources: SettingsSources, adapters: [any Adapter], isComplete: Bool) async {
        let applier = live.applier.replacing(rules: adapters, isComplete: isComplete)
        await reconciler.askPrograms(of: applier)
        await writing {
            live.applier = applier
            let before = live.state.settings
            // All stored values are checked again, which takes tens of milliseconds where there are many.
            let checked = try? await applier.worker.run { before.following(sources) }
            let after = checked ?? before.following(sources)
            let effects = await SettingsEffects.between(before, after, on: loop)
            live.state.settings = after
            live.state.sourcesRevision += 1
            await reconciler.reconcile(.restart, isComplete: isComplete)
            _ = await reconciler.retryFailedActions()
            await live.publish(effects, author: "cleatd", cause: nil)
        }
    }

    /// Cancels the tasks that wait; a trial continues with the next run of the service.
    package func stop() {
        waiting.stop()
        runner.probing?.cancel()
        live.watchers.finish()
    }

    /// Runs a scope that writes, once no other one does, and then waits for its deferred work.
    ///
    /// - Parameters:
    ///   - closing: True if the changes that come later are made later; false if they may join the group that waits.
    ///   - body: The scope.
    /// - Returns: The result of the scope.
    /// - Throws: The error of the scope.
    private func writing<R, E: Error>(
        closing: Bool = true, _ body: () async throws(E) -> R
    ) async throws(E) -> R {
        if closing { group.close() }
        defer {
            live.applier.adapters.settle(on: live.state.settings)
            schedule()
        }
        return try await writeLock.withLock(body)
    }

    /// Starts, moves or ends the tasks that wait for a deadline or check probes.
    private func schedule() {
        guard !waiting.isStopped else { return }
        let instant = [runner.wakeTime, reconciler.wakeTime].compactMap(\.self).min()
        if waiting.timer?.instant != instant {
            waiting.timer?.task.cancel()
            waiting.timer = instant.map { instant in
                (instant, loop.task(name: "timer") { await self.wake(at: instant) })
            }
        }
        guard let id = runner.probingID, runner.probing == nil || runner.probing?.isCancelled == true else { return }
        runner.probing = loop.task(name: "probes") { await self.checkProbes(of: id) }
    }

    private func wake(at instant: BootTime) async {
        do {
            try await loop.sleep(until: instant)
        } catch {
            return
        }
        if reconciler.isProgramRetryDue { await reconciler.askPrograms() }
        await writing {
            // Another task may have replaced this one while it waited.
            guard !Task.isCancelled else { return }
            let own = waiting.timer?.task
            waiting.timer = nil
            await runner.wake()
            // A revert runs to its end; a retry is cancelled with the service, and its program is killed.
            waiting.retry = own
            await reconciler.wake()
            waiting.retry = nil
        }
    }

    private func checkProbes(of id: String) async {
        await runner.checkProbes(of: id) { await writing { await runner.probesHeld(id) } }
        // A cancelled task was replaced, or is not needed any more.
        if !Task.isCancelled { runner.probing = nil }
    }

    // MARK: Reading

    /// The settings in force.
    var settings: LayeredSettings { live.state.settings }
    /// The generation of the settings.
    var reference: GenerationRef { live.state.reference }
    /// The answers to questions about the present state.
    package var queries: SettingsQueries { SettingsQueries(live) }
    /// The schema in force, and a number that changes whenever the schema does.
    var schemaInForce: (schema: Schema, revision: Int) { (live.state.settings.schema, live.state.sourcesRevision) }
    /// The sync status of the system, as far as it was checked.
    var status: SyncStatus { reconciler.status }
    /// The change on trial as a summary; nil if there is none.
    var trialNotice: TrialSummary? { live.transaction?.notice(live.services.now()) }
    /// The change on trial, in its wire format; nil if there is none.
    package var trial: Trial? { live.transaction?.described(in: live.state.settings, live.services.now()) }
    /// The change that could not be reverted; nil if there is none.
    var failedRevert: RunningTransaction? {
        live.transaction.flatMap { $0.machine.state == .revertFailed ? $0 : nil }
    }
    /// The reason why the store did not take the last change; nil if it did.
    var storeFailure: String? { live.storeFailure }
    /// The failure of the store's check after the start; nil if there is none.
    var checkFailure: String? { live.checkFailure }
    /// The stored settings of Cleat's own that no adapter on this board can follow, with the reasons.
    var unfollowedSettings: [(path: SettingPath, reason: String)] {
        live.applier.adapters.unfollowed(live.state.settings)
    }
    /// The units that are enabled at the same time although only one of them is used, by the settings that they follow.
    var rivalServices: [SettingPath: [String]] { live.applier.rivals }
    /// True if the store's path still leads to the open directory.
    package var isStoreInPlace: Bool { get async { await live.services.store.isInPlace } }

    /// Examines the settings if they have changed since the last time, else returns the former result.
    func health(_ examine: @Sendable (LayeredSettings) -> SettingsHealth) -> SettingsHealth { live.health(examine) }

    /// Starts a watch; end it with ``unwatch(_:)``.
    ///
    /// - Throws: `APIError` for an unknown prefix.
    package func watch(_ prefixes: [SettingPath]) throws(APIError) -> SettingsWatcher {
        for prefix in prefixes { try queries.requireKnown(prefix) }
        return live.watchers.add(prefixes)
    }

    /// Ends a watch.
    package func unwatch(_ watcher: SettingsWatcher) { live.watchers.remove(watcher) }

    /// Returns all layers of a path.
    func why(_ path: SettingPath, reveal: Bool) async throws -> SettingsInterface.Why.Reply {
        // Only who set a value must be of the same generation as the settings: the store is read for it, and a change
        // that is being made already has the origins of its volatile values.
        let settings = live.state.settings
        var reply: SettingsInterface.Why.Reply
        if settings[.committed][path] == nil, settings[.volatile][path] == nil {
            reply = try await writer.history.why(path, reveal: reveal)
        } else {
            reply = try await writing { try await writer.history.why(path, reveal: reveal) }
        }
        reply.live = try await queries.live(path)
        return reply
    }

    /// Reads one page of history, newest first.
    package func log(before: Int64?, limit: Int) async throws -> SettingsInterface.Log.Reply {
        try await writer.history.log(before: before, limit: limit)
    }

    /// Reads the generation that a change became; the reply is empty if it was never made.
    func log(id: String) async throws -> SettingsInterface.Log.Reply { try await writer.history.log(id: id) }

    /// Returns the differences between two generations.
    package func diff(from: Int64?, to: Int64?) async throws -> SettingsInterface.Diff.Reply {
        try await writer.history.diff(from: from, to: to)
    }

    /// Returns the board's addresses before and after the change on trial; nil if it does not touch the caller's
    /// interface.
    func reach(of caller: CallerRoute) -> Reach? {
        live.transaction.flatMap { caller.reach(touching: $0.paths, after: live.state.settings) }
    }

    // MARK: Writing

    /// Applies a change set to the store, or to the volatile layer, as a whole or not at all.
    ///
    /// - Parameters:
    ///   - request: The changes, with the caller's id and expectation.
    ///   - author: The caller.
    ///   - cause: The hooks that caused the change; nil if none did.
    ///   - caller: The route by which the caller reaches the board, for a plan.
    ///   - uploads: The contents of the documents that it names, as far as they were uploaded for it.
    /// - Returns: The outcome of the changes.
    /// - Throws: `APIError`; then nothing has changed.
    package func set(
        _ request: SettingsInterface.Set.Parameters, author: Author, cause: String?, caller: CallerRoute = .unknown,
        uploads: UploadedContents = UploadedContents()
    ) async throws -> SettingsInterface.Set.Reply {
        let plan = try SettingsPlan(request)
        let order = try ChangeOrder(
            request, plan, author: author, cause: cause, caller: caller, probes: live.services.prober.probes)
        guard writeLock.isHeld, uploads.isEmpty, writer.isPlain(plan), let (member, led) = group.join(plan, order)
        else {
            let isAboutServices = request.changes.contains { $0.path.hasPrefix("network") || $0.path.hasPrefix("time") }
            return try await writing {
                if isAboutServices { await reconciler.followServices() }
                return try await writer.set(plan, order, uploads: uploads)
            }
        }
        guard let led else { return try await member.reply() }
        return try await writing(closing: false) {
            // Those who were just answered, and send their next change at once, take part.
            await loop.yield()
            group.close(led)
            if led.members.count == 1 { return try await writer.set(plan, order, uploads: uploads) }
            await writer.set(together: led.members)
            return try await member.reply()
        }
    }

    /// Removes all committed values under a prefix, or all of them.
    ///
    /// - Returns: The outcome.
    /// - Throws: `APIError`; then nothing has changed.
    package func reset(
        _ request: SettingsInterface.Reset.Parameters, author: Author, cause: String?, caller: CallerRoute = .unknown
    ) async throws -> SettingsInterface.Set.Reply {
        let prefix = try request.prefix.map { text throws(APIError) in try SettingPath(fromCaller: text) }
        let order = try ChangeOrder(
            request, prefix, author: author, cause: cause, caller: caller, probes: live.services.prober.probes)
        return try await writing {
            await reconciler.followServices()
            return try await writer.reset(under: prefix, order)
        }
    }

    /// Restores the committed settings of an earlier generation, as a whole or not at all.
    ///
    /// - Returns: The outcome.
    /// - Throws: `APIError`; then nothing has changed.
    package func rollback(
        _ request: SettingsInterface.Rollback.Parameters, author: Author, cause: String?,
        caller: CallerRoute = .unknown
    ) async throws -> SettingsInterface.Set.Reply {
        let order = try ChangeOrder(
            request, author: author, cause: cause, caller: caller, probes: live.services.prober.probes)
        return try await writing {
            await reconciler.followServices()
            return try await writer.rollback(to: request.to, order)
        }
    }

    // MARK: Trials

    /// Confirms the change that is on trial.
    package func confirm(_ id: String) async throws -> TransactionsInterface.End {
        let received = live.services.now()
        return try await writing {
            if let end = try await runner.confirm(id, received: received) { return end }
            return try await writer.history.former(id, .confirmed)
        }
    }

    /// Reverts the change that is on trial, or retries the revert.
    package func abort(_ id: String, author: Author) async throws -> TransactionsInterface.End {
        try await writing {
            if let end = try await runner.abort(id, author: author) { return end }
            return try await writer.history.former(id, .reverted)
        }
    }

    /// Restarts the confirm window of the change on trial with a new length in milliseconds.
    package func extend(_ id: String, window: Int64) async throws -> Trial {
        try TrialTerms.checkWindow(window, named: "window")
        return try await writing { try await runner.extend(id, window: window) }
    }

    /// Waits until a change on trial has ended, and returns its end.
    ///
    /// - Throws: `APIError` if it could not be reverted, or there was none with that id.
    package func waitForEnd(_ id: String) async throws -> TransactionsInterface.End {
        if let invalid = APIError.invalidTransaction(id) { throw invalid }
        if let end = try await runner.waitForEnd(id) { return end }
        return try await writer.history.ended(id)
    }

    // MARK: Drift

    /// Returns the files that are marked as written by Cleat and that the store does not know.
    func unknownFiles() async -> [Resource] { await reconciler.unknownFiles() }

    /// Compares all written resources with the settings, and returns the drift.
    func drift() async -> SystemInterface.Drift.Reply {
        await reconciler.askPrograms()
        return await writing {
            await reconciler.inspect()
            return await SystemInterface.Drift.Reply(
                drift: drifts.described(reconciler.status.drift), failures: reconciler.status.failures)
        }
    }

    /// Compares the system with the settings, unless a change is being made: that may take long, and ends with a
    /// comparison of its own.
    func refreshDrift() async {
        if !writeLock.isHeld { _ = await drift() }
    }

    /// Describes drift, in its wire format.
    func described(_ drift: [Drift]) async -> [DriftInfo] { await drifts.described(drift) }

    /// Writes what the settings say to resources, even if they were edited outside.
    ///
    /// - Throws: `APIError`; then nothing has happened, or everything is reverted.
    func reapply(
        _ request: SystemInterface.Reapply.Parameters, author: Author, cause: String?
    ) async throws -> SystemInterface.Reapply.Reply {
        let terms = try TrialTerms.forResources(
            id: request.id, comment: request.comment, confirm: request.confirm, until: request.until,
            known: live.services.prober.probes)
        return try await writing { try await drifts.reapply(request, terms, author: author, cause: cause) }
    }

    /// Adopts outside edits.
    ///
    /// - Throws: `APIError` with all that cannot be adopted; then nothing has changed.
    func adopt(
        _ request: SystemInterface.Adopt.Parameters, author: Author, cause: String?
    ) async throws -> SystemInterface.Adopt.Reply {
        let terms = try TrialTerms.forResources(
            id: request.id, comment: request.comment, confirm: request.confirm, until: request.until,
            known: live.services.prober.probes)
        return try await writing { try await drifts.adopt(request, terms, author: author, cause: cause) }
    }

    // MARK: Interfaces

    /// The interfaces that settings name and that were missing at startup.
    var awaitedInterfaces: Set<String> { reconciler.awaitedInterfaces }
    /// True if all of the board's files could be read.
    var areSourcesComplete: Bool { reconciler.areSourcesComplete }

    /// Returns true if a setting is about an interface.
    func isSet(interface name: String) -> Bool { reconciler.isSet(interface: name) }

    /// Configures an interface that has just appeared, by the same steps as any change, and emits an event.
    func configure(appeared name: String) async -> SystemReconciler.Arrival {
        await writing { await reconciler.configure(appeared: name) }
    }

    /// Does something with the present settings while no change is made or on trial.
    ///
    /// - Throws: `APIError.transactionPending` if a change is on trial, or what the work throws.
    func withoutTrial<Result: Sendable>(
        _ work: (LayeredSettings) async throws -> Result
    ) async throws -> Result {
        try await writing {
            if let transaction = live.transaction { throw transaction.refusal(live.services.now()) }
            return try await work(live.state.settings)
        }
    }

    /// Reads the present configuration of the system as settings that a caller may change.
    func present(for author: Author) async throws -> SystemInterface.Present.Reply {
        try await writing {
            await reconciler.followServices()
            return try await queries.present(for: author)
        }
    }

    /// Returns the service that configures interfaces, and the files of the interfaces.
    func network() async throws -> SystemInterface.Network.Reply {
        try await writing {
            await reconciler.followServices()
            return try await queries.network()
        }
    }

    // MARK: Snapshots

    /// Creates a snapshot of the confirmed settings, and of the state of the system.
    package func createSnapshot(
        _ parameters: SnapshotsInterface.Create.Parameters, author: Author
    ) async throws -> SnapshotsInterface.Create.Reply {
        try SettingsPlan.checkWords(id: nil, comment: parameters.comment)
        return try await writing { try await snapshots.create(parameters, author: author) }
    }

    /// Restores a snapshot, as a whole or not at all.
    package func restoreSnapshot(
        _ request: SnapshotsInterface.Restore.Parameters, author: Author, cause: String?
    ) async throws -> SnapshotsInterface.Restore.Reply {
        try SettingsPlan.checkWords(id: request.id, comment: request.comment)
        let terms = try TrialTerms(
            confirm: request.confirm, until: request.until, known: live.services.prober.probes)
        return try await writing {
            await reconciler.followServices()
            return try await snapshots.restore(request, terms, author: author, cause: cause)
        }
    }

    /// Lists the snapshots.
    package func listSnapshots() async throws -> SnapshotsInterface.List.Reply { try await snapshots.list() }

    /// Returns one page of a snapshot.
    package func showSnapshot(
        _ name: String, offset: Int, for author: Author
    ) async throws -> SnapshotsInterface.Show.Reply {
        try await snapshots.show(name, offset: offset, for: author)
    }

    /// Compares a snapshot with another one, or with the present state.
    package func diffSnapshots(
        _ name: String, _ other: String?, for author: Author
    ) async throws -> SnapshotsInterface.Diff.Reply {
        try await snapshots.comparison.differences(name, other, for: author)
    }

    /// Deletes a snapshot; only privileged users may delete those of others.
    package func deleteSnapshot(_ name: String, author: Author) async throws -> SnapshotsInterface.Delete.Reply {
        try await snapshots.delete(name, author: author)
    }

    /// Exports a snapshot as a file, without secrets, piece by piece.
    func exportSnapshot(
        _ name: String, _ send: @escaping @Sendable (String) async throws -> Void
    ) async throws -> SnapshotsInterface.Export.Reply {
        try await snapshots.export(name, send)
    }

    /// Imports a snapshot that was read from a file.
    func importSnapshot(
        _ request: SnapshotRequest, as name: String?, author: Author
    ) async throws -> SnapshotsInterface.Import.Reply {
        try await snapshots.importing(request, as: name, author: author)
    }
}

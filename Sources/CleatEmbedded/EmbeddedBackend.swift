import Cleat
import CleatAPI
import CleatAdapters
import CleatAgent
import CleatIO
import CleatObservers
import CleatSettings
import CleatStore
import Logging
import Synchronization
import SystemPackage

/// The engine of the service in the program's own process, as the backend of a client.
final class EmbeddedBackend: CleatBackend {
    let revealsSecrets = true
    let areas: AreaSource
    private let thread: LoopThread
    private let local: LocalSettings
    private let log: Logger
    /// The place of the store.
    private let place: Place
    private let author = Author(user: ProcessSelf.uid)
    /// The tasks that notify observers, by the numbers of these.
    private let observers = Mutex<[UInt64: Task<Void, Never>]>([:])

    /// The places that a store can be in.
    enum Place: Sendable {
        /// The directory with this absolute path.
        case directory(FilePath)
        /// A directory in memory, for a test, in which the board has no links and no devices.
        case memory(MemoryDirectory)

        fileprivate var path: FilePath {
            switch self {
            case .directory(let path): path
            case .memory(let directory): directory.path
            }
        }
    }

    private init(
        _ thread: LoopThread, _ local: LocalSettings, _ files: [String: any Files & FilesWatching], _ log: Logger,
        _ place: Place
    ) {
        (self.thread, self.local, self.log, self.place) = (thread, local, log, place)
        areas = .given(files)
    }

    deinit { release() }

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - place: the place of the store.
    ///   - schema: the schema of the settings.
    ///   - adapters: the program's adapters.
    ///   - files: the program's files, by the names of their areas.
    ///   - log: the program's log.
    ///   - values: gets the settings, now and after each change.
    /// - Returns: the backend of the open store.
    /// - Throws: `CleatError`.
    static func open(
        _ place: Place, schema: Schema, adapters: [StoreAdapter] = [], files: [String: any Files & FilesWatching],
        log: Logger?,
        _ values: PublishedSettings
    ) async throws(CleatError) -> EmbeddedBackend {
        let thread = try SharedLoop.take()
        var programs: [ProgramAdapter] = []
        for adapter in adapters {
            let program = try adapter.program()
            guard !programs.contains(where: { $0.name == program.name }) else {
                throw CleatError(.refused, "two adapters are called \(adapter.name)", remedy: "rename one of them")
            }
            programs.append(program)
        }
        let log = log ?? Logger(label: "cleat") { _ in SwiftLogNoOpLogHandler() }
        let local = try await failing { [programs] in
            try await thread.loop.task(name: "open") {
                try await LocalSettings.open(
                    at: place.path, schema: schema, adapters: programs, on: thread.loop, log: log,
                    onChange: values.replace)
            }.value
        }
        return EmbeddedBackend(thread, local, files, log, place)
    }

    private static var closed: CleatError { CleatError(.failed, "the store was closed; open it again") }

    /// The repairs of the store when it was opened.
    var notes: [String] { local.notes }

    /// Closes the store.
    func close() async throws(CleatError) { try await Self.closing(local, on: thread) }

    /// Closes the store at some later time.
    private func release() {
        let (thread, local, log, place) = (thread, local, log, place)
        thread.loop.task(name: "close") {
            do {
                try await Self.closing(local, on: thread)
            } catch {
                log.warning("\(error)")
            }
            withExtendedLifetime(place) {}
        }
    }

    private static func closing(_ local: LocalSettings, on thread: LoopThread) async throws(CleatError) {
        try await failing {
            try await thread.loop.task(name: "close") { try await local.close() }.value
        }
    }

    /// Runs a call of the engine that changes the store, if its directory is still in its place.
    private func changing<Value: Sendable>(_ body: () async throws -> Value) async throws(CleatError) -> Value {
        guard await local.engine.isStoreInPlace else {
            throw CleatError(
                .failed,
                "the directory \(place.path) was removed or replaced while its store is open; nothing was changed",
                remedy: "put it back, or close the store and open it again")
        }
        return try await Self.failing(body)
    }

    /// Runs a call of the engine, whose errors are those of the service.
    private static func failing<Value: Sendable>(_ body: () async throws -> Value) async throws(CleatError) -> Value {
        do {
            return try await body()
        } catch let error as CleatError {
            throw error
        } catch let error as APIError {
            switch error {
            case .storeFailed(_, let message): throw CleatError(.failed, message).withoutVerbs
            case .transactionPending:
                throw CleatError(
                    .pending, "another change is on trial; nothing was changed",
                    remedy: "confirm or abort it first: `trial()` returns it")
            default: throw CleatError(error).withoutVerbs
            }
        } catch let error as StoreError {
            let code: CleatError.Code =
                switch error.code {
                case .inUse: .inUse
                case .accessDenied: .denied
                default: .failed
                }
            throw CleatError(code, error.description).withoutVerbs
        } catch is CancellationError {
            throw CleatError(.cancelled, "the task was cancelled before the call had ended")
        } catch {
            throw CleatError(.failed, "\(error)")
        }
    }
}

extension CleatError {
    /// The error without the clauses that name verbs of `cleat`, which the store of a program does not have.
    fileprivate var withoutVerbs: CleatError {
        CleatError(
            code, Self.withoutVerbs(message) ?? "the store has refused it",
            remedy: remedy.flatMap(Self.withoutVerbs),
            problems: problems.map {
                .init(path: $0.path, code: $0.code, reason: Self.withoutVerbs($0.reason) ?? $0.reason, value: $0.value)
            })
    }

    private static func withoutVerbs(_ text: String) -> String? {
        let verbs = ["'cleat ", "`cleat "].map { Array($0.utf8) }
        let clauses = text.split(separator: "; ").filter { clause in
            !verbs.contains { verb in clause.utf8.indices.contains { clause.utf8[$0...].starts(with: verb) } }
        }
        return clauses.isEmpty ? nil : clauses.joined(separator: "; ")
    }
}

// MARK: Settings

extension EmbeddedBackend {
    func get(_ path: SettingPath) async throws(CleatError) -> SettingsInterface.Get.Reply {
        try await Self.failing { try await local.engine.queries.get(path, reveal: true, isBounded: false) }
    }

    func view(under prefix: SettingPath?) async throws(CleatError) -> (SettingsView, GenerationRef) {
        try await Self.failing {
            let queries = await local.engine.queries
            if let prefix { try queries.requireKnown(prefix) }
            return (SettingsView(queries.settings), queries.reference)
        }
    }

    func describe(_ path: SettingPath?) async throws(CleatError) -> SettingsInterface.Describe.Reply {
        try await Self.failing { try await local.engine.queries.describe(path) }
    }

    func set(_ parameters: SettingsInterface.Set.Parameters) async throws(CleatError) -> SettingsInterface.Set.Reply {
        if let probe = parameters.until?.first {
            throw CleatError(
                .refused, "the probe \(probe) cannot be checked without the service; nothing was changed",
                remedy: "confirm the change in the program")
        }
        return try await changing { try await local.engine.set(parameters, author: author, cause: nil) }
    }

    func reset(
        _ parameters: SettingsInterface.Reset.Parameters
    ) async throws(CleatError) -> SettingsInterface.Set.Reply {
        try await changing { try await local.engine.reset(parameters, author: author, cause: nil) }
    }

    func pending() async throws(CleatError) -> TransactionsInterface.Pending.Reply {
        .init(trial: await local.engine.trial)
    }

    func confirm(_ id: String) async throws(CleatError) -> TransactionsInterface.End {
        try await changing { try await local.engine.confirm(id) }
    }

    func extend(_ id: String, to window: Int64) async throws(CleatError) {
        _ = try await Self.failing { try await local.engine.extend(id, window: window) }
    }

    func abort(_ id: String) async throws(CleatError) -> TransactionsInterface.End {
        try await thread.shielded { [local, author] () throws(CleatError) in
            try await Self.failing { try await local.engine.abort(id, author: author) }
        }
    }

    func outcome(of id: String) async throws(CleatError) -> TransactionsInterface.End {
        try await thread.shielded { [local] () throws(CleatError) in
            try await Self.failing { try await local.engine.waitForEnd(id) }
        }
    }

    // MARK: Following

    func add(_ id: UInt64, _ path: SettingPath, _ observer: ChangeObserver) {
        let task = thread.loop.task(name: "watch") { [engine = local.engine] in
            do throws(APIError) {
                let watcher = try await engine.watch([path])
                observer.note()
                while await watcher.next() != nil { observer.note() }
                await engine.unwatch(watcher)
                if !Task.isCancelled { observer.fail(Self.closed) }
            } catch {
                observer.fail(CleatError(error))
            }
        }
        observers.withLock { $0[id] = task }
    }

    func remove(_ id: UInt64) { observers.withLock { $0.removeValue(forKey: id) }?.cancel() }

    func notifyAgain() {}

    func pause(attempt: Int) async throws(CleatError) { try await thread.pause(attempt: attempt) }
}

// MARK: History

extension EmbeddedBackend {
    func log(_ parameters: SettingsInterface.Log.Parameters) async throws(CleatError) -> SettingsInterface.Log.Reply {
        try await Self.failing {
            try await local.engine.log(before: parameters.before, limit: parameters.limit ?? .max)
        }
    }

    func compareGenerations(
        _ parameters: SettingsInterface.Diff.Parameters
    ) async throws(CleatError) -> SettingsInterface.Diff.Reply {
        try await Self.failing { try await local.engine.diff(from: parameters.from, to: parameters.to) }
    }

    func rollback(
        _ parameters: SettingsInterface.Rollback.Parameters
    ) async throws(CleatError) -> SettingsInterface.Outcome {
        try await changing { try await local.engine.rollback(parameters, author: author, cause: nil) }
    }

    func createSnapshot(
        _ parameters: SnapshotsInterface.Create.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Create.Reply {
        try await changing { try await local.engine.createSnapshot(parameters, author: author) }
    }

    func listSnapshots() async throws(CleatError) -> SnapshotsInterface.List.Reply {
        try await Self.failing { try await local.engine.listSnapshots() }
    }

    func showSnapshot(
        _ parameters: SnapshotsInterface.Show.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Show.Reply {
        try await Self.failing {
            try await local.engine.showSnapshot(parameters.name, offset: parameters.offset ?? 0, for: author)
        }
    }

    func compareSnapshots(
        _ parameters: SnapshotsInterface.Diff.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Diff.Reply {
        try await Self.failing { try await local.engine.diffSnapshots(parameters.name, parameters.other, for: author) }
    }

    func restoreSnapshot(
        _ parameters: SnapshotsInterface.Restore.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Restore.Reply {
        try await changing { try await local.engine.restoreSnapshot(parameters, author: author, cause: nil) }
    }

    func deleteSnapshot(
        _ parameters: SnapshotsInterface.Delete.Parameters
    ) async throws(CleatError) -> SnapshotsInterface.Delete.Reply {
        try await Self.failing { try await local.engine.deleteSnapshot(parameters.name, author: author) }
    }
}

// MARK: Events

extension EmbeddedBackend {
    func emit(_ event: AppEvent, keep: Int64?) async throws(CleatError) {
        let emitter = AppObserver.Emitter(uid: ProcessSelf.uid, name: UserDatabase.name(of: ProcessSelf.uid))
        let number = try await Self.failing { try await local.apps.emit(event, keep: keep, by: emitter) }
        if number == 0 { throw Self.closed }
    }

    func kept() async throws(CleatError) -> [Event] {
        await local.apps.keptEvents.map { $0.event(bootID: local.bus.bootID) }
    }

    func links() async throws(CleatError) -> [Link] { try noneOfBoard("links") }

    func devices(in subsystem: String) async throws(CleatError) -> [Device] { try noneOfBoard("devices") }

    func power() async throws(CleatError) -> [Supply] { try noneOfBoard("power supplies") }

    private func noneOfBoard<Element>(_ subject: String) throws(CleatError) -> [Element] {
        if case .memory = place { return [] }
        throw CleatError(
            .refused, "a store of the program's own does not observe the board's \(subject)",
            remedy: "follow them through the service: `Cleat.connect`")
    }

    func follow(_ query: EventQuery, _ sink: EventSink) -> EventFollowing {
        let subscription = local.bus.subscribe(matching: query.filter)
        sink.take(nil)
        let task = thread.loop.task(name: "events") { [bootID = local.bus.bootID] in
            var missed = 0
            while let delivery = await subscription.next() {
                switch delivery {
                case .lost(let count): missed += count
                case .event(let record):
                    sink.take(BoardEvent(record.event(bootID: bootID), missed: missed))
                    missed = 0
                }
            }
            sink.fail(Self.closed)
        }
        // The sequence keeps the store open, as that of a setting's values does.
        return EventFollowing { withExtendedLifetime(self) { task.cancel() } }
    }
}

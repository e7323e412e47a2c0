package import CleatIO
package import CleatSettings
internal import Synchronization
package import SystemPackage

/// Keeps the settings in a store, on a thread of its own: a flush on an SD card takes its time.
package actor SettingsStore {
    /// The thread that everything of the store happens on.
    package nonisolated let executor: ThreadExecutor
    private var file: StoreFile?
    private nonisolated let published = Mutex<StoreStatistics?>(nil)
    private let path: String

    /// The executor of the store's thread.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    private init(executor: ThreadExecutor, path: String) {
        self.executor = executor
        self.path = path
    }

    /// Opens the store of a directory, or makes one.
    ///
    /// - Parameters:
    ///   - directory: the store's own directory; made where it is missing.
    ///   - executor: the thread that the store shall work on.
    ///   - stamp: the time, for the generation that a restored copy becomes.
    ///   - limits: what the store keeps and takes.
    ///   - hook: asked before every operation on the database's files; nil in operation.
    /// - Returns: the store, open; `opening` says what happened on the way.
    /// - Throws: what stands in the way; every file was left alone.
    package static func open(
        directory: FilePath, executor: ThreadExecutor, stamp: CommitStamp = .now(), limits: StoreLimits = StoreLimits(),
        hook: (@Sendable (StorageOperation) -> StorageVerdict)? = nil
    ) async throws(StoreError) -> SettingsStore {
        let store = SettingsStore(executor: executor, path: directory.string)
        try await store.start(directory, stamp, limits, hook)
        return store
    }

    /// Opens a copy, in memory, of a store whose own files cannot be opened, as `StoreFile.standIn` does.
    ///
    /// It tells what can be read, and refuses every change with the cause.
    ///
    /// - Parameters:
    ///   - directory: the store's own directory.
    ///   - place: a directory in memory for the copy; what is in it goes.
    ///   - cause: why the store cannot be opened.
    ///   - executor: the thread that the store shall work on.
    ///   - stamp: the time, for the generation that a second copy becomes.
    /// - Returns: the copy; `opening` says what it could be made of.
    /// - Throws: that another instance has the store, or what stands in the way in the place itself.
    package static func standIn(
        for directory: FilePath, in place: FilePath, because cause: StoreError, executor: ThreadExecutor,
        stamp: CommitStamp = .now()
    ) async throws(StoreError) -> SettingsStore {
        let store = SettingsStore(executor: executor, path: directory.string)
        try await store.standIn(directory, place, cause, stamp)
        return store
    }

    private func standIn(
        _ directory: FilePath, _ place: FilePath, _ cause: StoreError, _ stamp: CommitStamp
    ) throws(StoreError) {
        file = try StoreFile.standIn(for: directory, in: place, because: cause, stamp: stamp)
        publish()
    }

    private func start(
        _ directory: FilePath, _ stamp: CommitStamp, _ limits: StoreLimits,
        _ hook: (@Sendable (StorageOperation) -> StorageVerdict)?
    ) throws(StoreError) {
        file = try StoreFile(directory: directory, stamp: stamp, limits: limits, hook: hook)
        publish()
    }

    /// Leaves the counters where they can be read while the store is busy.
    private func publish() {
        // Counters that cannot be read stay as they were; what is wrong with the storage is told by what writes to it.
        guard let file, let statistics = try? file.statistics() else { return }
        published.withLock { $0 = statistics }
    }

    /// What happened when the store was opened.
    package var opening: StoreOpening { file?.opening ?? StoreOpening() }

    /// Whether the store's path still leads to the directory that is open.
    package var isInPlace: Bool { file?.isInPlace ?? true }

    /// Reads all confirmed settings: what boots.
    ///
    /// What is on trial is not among them; `trial()` has it.
    package func snapshot() throws(StoreError) -> StoredState {
        try opened().snapshot()
    }

    /// Reads one confirmed setting, with the generation that set it; nil where there is none.
    package func setting(at path: SettingPath) throws(StoreError) -> StoredSetting? {
        try opened().setting(at: path)
    }

    /// Writes changes as one more generation: durable when this returns, or not there at all.
    ///
    /// - Parameter request: what to write.
    /// - Returns: what became of it.
    /// - Throws: a conflict, a reused id, a limit, a pending trial, or what the storage said.
    package func commit(_ request: CommitRequest) throws(StoreError) -> CommitOutcome {
        try changing { file throws(StoreError) in try file.commit(request) }
    }

    /// Reads one page of the history, newest first: a generation on trial, and those that were undone, too.
    ///
    /// - Parameters:
    ///   - before: only older generations than this; nil for the newest.
    ///   - limit: how many at most; large generations make a page shorter.
    /// - Returns: at least one where there is one.
    /// - Throws: what the storage said.
    package func generations(before: Int64?, limit: Int) throws(StoreError) -> [GenerationRecord] {
        try opened().generations(before: before, limit: limit)
    }

    /// Finds the generation that an id was used for.
    package func record(id: String) throws(StoreError) -> GenerationRecord? {
        try opened().record(id: id)
    }

    /// Finds a generation by its number.
    package func record(number: Int64) throws(StoreError) -> GenerationRecord? {
        try opened().record(number: number)
    }

    /// Compares two generations: what to change in `from` to get `to`, sorted by the bytes of the paths.
    ///
    /// One that is on trial, or was undone, stands for the settings that it would have brought.
    /// What was changed and changed back, or written as it was, is named only where `keepsSame` asks for it.
    package func differences(
        from: Int64, to: Int64, keepsSame: Bool = false
    ) throws(StoreError) -> [StoredChange] {
        try opened().differences(from: from, to: to, keepsSame: keepsSame)
    }

    /// Finds the newest change of an author that is in force, and what others have changed since; nil where nothing that
    /// was changed is in force.
    package func newestChange(of author: String) throws(StoreError) -> NewestChange? {
        try opened().newestChange(of: author)
    }

    /// Changes the bounds, and takes from the history what is beyond them.
    package func setLimits(_ limits: StoreLimits) throws(StoreError) {
        let file = try opened()
        file.limits = limits
        defer { publish() }
        try file.prune()
    }

    /// What the store holds and has written, as of the last time that it wrote; does not wait for the store's thread.
    package nonisolated var statistics: StoreStatistics? { published.withLock { $0 } }

    /// Says how long to wait before the second copy is to be written, in milliseconds; nil when there is no need of one.
    package func copyDelay(bootID: String, bootTime: Int64) -> Int64? {
        file?.copyDelay(bootID: bootID, bootTime: bootTime)
    }

    /// Writes the second copy, where one is due; says whether it was written.
    @discardableResult
    package func writeCopyIfDue(_ stamp: CommitStamp) throws(StoreError) -> Bool {
        try writing { file throws(StoreError) in try file.writeCopyIfDue(stamp) }
    }

    /// Closes the store; a stale second copy is written before.
    ///
    /// - Parameter stamp: the time.
    /// - Throws: why the second copy could not be written; the store is closed all the same.
    package func close(_ stamp: CommitStamp) throws(StoreError) {
        guard let file else { return }
        self.file = nil
        try file.close(stamp: stamp)
    }

    /// Writes to the store, and publishes the counters.
    func writing<Value>(_ body: (StoreFile) throws(StoreError) -> Value) throws(StoreError) -> Value {
        defer { publish() }
        return try body(try opened())
    }

    /// Changes what the store keeps, where it is not a copy in memory that is lost with the process.
    func changing<Value>(_ body: (StoreFile) throws(StoreError) -> Value) throws(StoreError) -> Value {
        try opened().checkChangeable()
        return try writing(body)
    }

    /// Refuses where the store is a copy in memory, with what must outlast the service.
    package func requireChangeable() throws(StoreError) { try opened().checkChangeable() }

    func opened() throws(StoreError) -> StoreFile {
        guard let file else {
            throw StoreError(.closed, path, "The store “\(path)” was closed; open it again.")
        }
        return file
    }
}

package import CleatIO
package import CleatSettings
internal import Synchronization
package import SystemPackage

/// A store of settings with a thread of its own: a flush on an SD card takes its time.
package actor SettingsStore {
    /// The thread on which the store runs.
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

    /// Opens the store of a directory, or creates one.
    ///
    /// - Parameters:
    ///   - directory: the store's own directory; created if it is missing.
    ///   - executor: the thread on which the store runs.
    ///   - stamp: the time of the generation that is written if the second copy is restored.
    ///   - limits: the bounds of the store.
    ///   - defersCheck: true to leave the check of a large store that was closed to `checkIfDue(_:)`, for the sake of a
    ///     quick start; any other store is checked here.
    ///   - hook: called before every operation on the database's files; nil in production.
    /// - Returns: the open store; `opening` reports repairs.
    /// - Throws: the reason why it cannot be opened; files with settings are at most renamed (quarantined) then.
    package static func open(
        directory: FilePath, executor: ThreadExecutor, stamp: CommitStamp = .now(), limits: StoreLimits = StoreLimits(),
        defersCheck: Bool = false, hook: (@Sendable (StorageOperation) -> StorageVerdict)? = nil
    ) async throws(StoreError) -> SettingsStore {
        do throws(Errno) {
            try executor.reserve()
        } catch {
            throw StoreError(
                .outOfMemory, directory.string,
                "The store in \(directory) cannot be opened: the system has no resources for its thread (\(error)); raise "
                    + "the limit on tasks, or free memory, and try again.")
        }
        let store = SettingsStore(executor: executor, path: directory.string)
        try await store.start(directory, stamp, limits, defersCheck, hook)
        return store
    }

    /// Opens an in-memory fallback of a store whose own files cannot be opened, as `StoreFile.fallback` does.
    ///
    /// It serves the settings that can be read, and refuses every change with the cause.
    ///
    /// - Parameters:
    ///   - directory: the store's own directory.
    ///   - place: a directory in memory for the fallback; its content is deleted.
    ///   - cause: the reason why the store cannot be opened.
    ///   - executor: the thread on which the store runs.
    ///   - stamp: the time of the generation that is written if the second copy is restored.
    /// - Returns: the fallback; `opening` reports its source.
    /// - Throws: an error if another instance has the store open, or the fallback's directory cannot be used.
    package static func fallback(
        for directory: FilePath, in place: FilePath, because cause: StoreError, executor: ThreadExecutor,
        stamp: CommitStamp = .now()
    ) async throws(StoreError) -> SettingsStore {
        let store = SettingsStore(executor: executor, path: directory.string)
        try await store.fallback(directory, place, cause, stamp)
        return store
    }

    private func fallback(
        _ directory: FilePath, _ place: FilePath, _ cause: StoreError, _ stamp: CommitStamp
    ) throws(StoreError) {
        file = try StoreFile.fallback(for: directory, in: place, because: cause, stamp: stamp)
        publish()
    }

    private func start(
        _ directory: FilePath, _ stamp: CommitStamp, _ limits: StoreLimits, _ defersCheck: Bool,
        _ hook: (@Sendable (StorageOperation) -> StorageVerdict)?
    ) throws(StoreError) {
        let size = FileStamp(directory.appending(StoreFormat.mainName).string)?.size ?? 0
        file = try StoreFile(
            directory: directory, stamp: stamp, limits: limits, defersCheck: defersCheck && size >= Self.largeSize,
            hook: hook)
        publish()
    }

    /// The size in bytes from which on a check may follow the start: a smaller store is checked in milliseconds, and
    /// afterwards would load the released pages of the program again.
    private static let largeSize: Int64 = 4 << 20

    /// Publishes the counters, so that they can be read while the store is busy.
    private func publish() {
        // Counters that cannot be read stay as they were; the next write reports what is wrong with the storage.
        guard let file, let statistics = try? file.statistics() else { return }
        published.withLock { $0 = statistics }
    }

    /// The repairs and other events of opening the store.
    package var opening: StoreOpening { file?.opening ?? StoreOpening() }

    /// True if the store's path still leads to the open directory.
    package var isInPlace: Bool { file?.isInPlace ?? true }

    /// Reads all confirmed settings, with which the device boots.
    ///
    /// Changes on trial are not included; `trial()` returns them.
    package func snapshot() throws(StoreError) -> StoredState {
        try opened().settings.state()
    }

    /// Reads one confirmed setting, with the generation that set it; nil if there is none.
    package func setting(at path: SettingPath) throws(StoreError) -> StoredSetting? {
        try opened().settings.setting(at: path)
    }

    /// Writes changes as a new generation: durable when this returns, or not stored at all.
    ///
    /// - Parameter request: the changes to write.
    /// - Returns: the outcome.
    /// - Throws: a conflict, a reused id, a limit, a pending trial, or a storage error.
    package func commit(_ request: CommitRequest) throws(StoreError) -> CommitOutcome {
        try changing { file throws(StoreError) in try file.commits.commit(request) }
    }

    /// Writes the changes of several requests, each as a generation of its own, with one flush.
    ///
    /// All of them are durable when this returns, or none is stored.
    ///
    /// - Parameter requests: the requests, with different paths and ids.
    /// - Returns: the generation of the first one, which those of the others follow in order; nil if one cannot be
    ///   stored together with others, and nothing is stored.
    /// - Throws: a conflict, a limit, a pending trial, or a storage error; then nothing is stored.
    package func commit(together requests: [CommitRequest]) throws(StoreError) -> GenerationRef? {
        try changing { file throws(StoreError) in try file.commits.commit(together: requests) }
    }

    /// Reads one page of the history, newest first, including generations that are on trial or were reverted.
    ///
    /// - Parameters:
    ///   - before: the number below which generations are returned; nil for the newest.
    ///   - limit: the maximum number of generations; large ones make a page shorter.
    /// - Returns: at least one generation if there is one.
    /// - Throws: a storage error.
    package func generations(before: Int64?, limit: Int) throws(StoreError) -> [GenerationRecord] {
        try opened().history.generations(before: before, limit: limit)
    }

    /// Finds the generation that an id was used for.
    package func record(id: String) throws(StoreError) -> GenerationRecord? {
        try opened().history.record(id: id)
    }

    /// Finds a generation by its number.
    package func record(number: Int64) throws(StoreError) -> GenerationRecord? {
        try opened().history.record(number: number)
    }

    /// Finds the generation that reverted another one; nil if no generation did.
    package func record(reverting number: Int64) throws(StoreError) -> GenerationRecord? {
        try opened().history.record(reverting: number)
    }

    /// Compares two generations: returns the changes that turn `from` into `to`, sorted by the bytes of the paths.
    ///
    /// A generation that is on trial, or was reverted, counts with the settings that it would have brought. Settings that
    /// were changed and changed back, or rewritten with the same value, are included only if `keepsSame` is true.
    package func differences(
        from: Int64, to: Int64, keepsSame: Bool = false
    ) throws(StoreError) -> [StoredChange] {
        try opened().history.differences(from: from, to: to, keepsSame: keepsSame)
    }

    /// Finds the newest change of an author that is in force, and the changes of others since; nil if no change is in
    /// force.
    package func newestChange(of author: String) throws(StoreError) -> NewestChange? {
        try opened().history.newestChange(of: author)
    }

    /// Changes the bounds, and deletes the history beyond them.
    package func setLimits(_ limits: StoreLimits) throws(StoreError) {
        let file = try opened()
        file.limits = limits
        defer { publish() }
        try file.history.prune()
    }

    /// The store's counters as of its last write; does not wait for the store's thread.
    package nonisolated var statistics: StoreStatistics? { published.withLock { $0 } }

    /// Returns the time to wait before the second copy is due, in milliseconds; nil if no copy is needed.
    package func copyDelay(bootID: String, bootTime: Int64) -> Int64? {
        defer { publish() }
        return file?.copies.delay(bootID: bootID, bootTime: bootTime)
    }

    /// Writes the second copy if it is due; returns true if it was written.
    @discardableResult
    package func writeCopyIfDue(_ stamp: CommitStamp) throws(StoreError) -> Bool {
        try writing { file throws(StoreError) in try file.copies.writeIfDue(stamp) }
    }

    /// Writes the version of this program next to the store, for a release that cannot read it.
    package func note(release: String) throws(StoreError) {
        try opened().note(release: release)
    }

    /// True if the opening has left the check of the whole file for later.
    package var isCheckDue: Bool { file?.store.check == .due }

    /// Checks the whole file, which the opening of a store that was closed leaves for later.
    ///
    /// - Parameter stamp: the time.
    /// - Throws: `corrupt`; every change is refused from then on, and the next opening quarantines the file. Else the
    ///   error of a read that the device has refused.
    package func checkIfDue(_ stamp: CommitStamp) throws(StoreError) { try opened().checkIfDue(stamp) }

    /// Closes the store, after it has written a stale second copy.
    ///
    /// - Parameter stamp: the time.
    /// - Throws: the reason why the second copy could not be written; the store is closed all the same.
    package func close(_ stamp: CommitStamp) throws(StoreError) {
        guard let file else { return }
        self.file = nil
        try file.close(stamp: stamp)
    }

    /// Runs `body`, which writes to the store, and publishes the counters.
    func writing<Value>(_ body: (StoreFile) throws(StoreError) -> Value) throws(StoreError) -> Value {
        defer { publish() }
        return try body(try opened())
    }

    /// Runs `body`, which changes the store, unless the store is an in-memory fallback that is lost with the process.
    func changing<Value>(_ body: (StoreFile) throws(StoreError) -> Value) throws(StoreError) -> Value {
        try opened().checkChangeable()
        return try writing(body)
    }

    /// Throws if the store is an in-memory fallback, which cannot keep what must outlast the service.
    package func requireChangeable() throws(StoreError) { try opened().checkChangeable() }

    func opened() throws(StoreError) -> StoreFile {
        guard let file else {
            throw StoreError(.closed, path, "The store “\(path)” was closed; open it again.")
        }
        return file
    }
}

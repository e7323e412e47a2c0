package import CleatAPI
import CleatJSON
import CleatSandbox
package import SystemPackage

/// A store of settings in one SQLite file, for one thread at a time.
package final class StoreFile {
    let directory: StoreDirectory
    let hook: StorageHook?
    /// The repairs and other events of opening the store.
    package internal(set) var opening = StoreOpening()
    /// The bounds of the store; a new bound applies from the next commit, or `prune()`, on.
    package var limits: StoreLimits {
        didSet { copyPolicy.interval = limits.copyInterval }
    }
    /// The connection; nil once the store was closed.
    ///
    /// Only tests use it from outside of the module: to inspect the file, and to relax its guarantees.
    package internal(set) var database: Database?
    var storeID = ""
    /// The number of the last generation that is not on trial, with which the device boots.
    var number: Int64 = 0
    /// The number of the last generation of all.
    var lastNumber: Int64 = 0
    /// The number of the generation on trial; nil if there is none.
    var pending: Int64?
    /// True if the file has the tables of format 1.1; on a full disk an older file gets them only with the first trial.
    var hasTrialTables = false
    /// True if the file has the table of format 1.2, which is added in the same way.
    var hasFingerprints = false
    /// The number of snapshots and the bytes of their objects; nil until they are first needed, and while the file has
    /// no tables for them.
    var knownSnapshots: SnapshotTotals?
    /// True if the file has the table of format 1.4, which is added in the same way.
    var hasProbes = false
    /// True if the file has the table of format 1.5; nil until that is first needed.
    var hasContents: Bool?
    var settingsCount = 0
    var settingsSum = SettingsSum()
    /// The last note of the newest generations; nil if there is none, or only that of another store.
    var noted: NewestNote?
    var historyCount = 0
    var historyBytes: Int64 = 0
    var commits: Int64 = 0
    /// The bytes that earlier runs wrote, as the last commit recorded them.
    var formerBytes: Int64 = 0
    var formerSyncs: Int64 = 0
    /// The bytes written next to the database in this run: second copies and notes of the newest generations.
    var besideBytes: Int64 = 0
    var besideSyncs: Int64 = 0
    var copyPolicy: CopyPolicy
    /// The directory of the store that this in-memory fallback replaces, which stays locked; else nil.
    var original: StoreDirectory?
    /// The error with which an in-memory fallback refuses every change; else nil.
    var refusal: StoreError?

    /// Opens the store of a directory, or creates one.
    ///
    /// A main file that is empty, foreign or damaged is quarantined, never deleted, and the settings are taken from the
    /// second copy; `opening` reports it. If opening fails, files with settings are at most renamed (quarantined).
    ///
    /// - Parameters:
    ///   - directory: the store's own directory; created if it is missing.
    ///   - stamp: the time of the generation that is written if the second copy is restored.
    ///   - limits: the bounds of the store.
    ///   - hook: called before each operation on the store's files; for tests.
    /// - Throws: the reason why it cannot be opened.
    package init(
        directory: FilePath, stamp: CommitStamp = .now(), limits: StoreLimits = StoreLimits(), hook: StorageHook? = nil
    ) throws(StoreError) {
        self.directory = try StoreDirectory(directory)
        self.limits = limits
        self.hook = hook
        copyPolicy = CopyPolicy(interval: limits.copyInterval)
        try self.directory.check(StoreFormat.names)
        sweep()
        // A damaged copy counts as none, and is written again.
        copyPolicy.last = readCopyHeader()
        try openOrRestore(stamp)
    }

    /// True if the store's path still leads to the open directory; for an in-memory fallback, that of the original
    /// store.
    var isInPlace: Bool { (original ?? directory).isInPlace }

    /// The store and the number of its last confirmed generation, with which the device boots; 0 is the empty store.
    ///
    /// While a change is on trial, this is the generation before it.
    package var generation: GenerationRef { GenerationRef(store: storeID, generation: number) }

    /// Closes the store.
    ///
    /// - Parameter stamp: the time for the second copy, which is written if it is stale; nil to write none.
    /// - Throws: the reason why the second copy, or the log's content, could not be written; the store is closed all
    ///   the same.
    package func close(stamp: CommitStamp?) throws(StoreError) {
        guard database != nil else { return }
        var failure: StoreError?
        if let stamp, refusal == nil, copyPolicy.isStale(generation) {
            do throws(StoreError) { try writeCopy(stamp) } catch { failure = error }
        }
        do throws(StoreError) { try emptyLog() } catch { failure = failure ?? error }
        detach()
        // This comes last, after the last reference to the connection was released.
        directory.unlock()
        if let failure { throw failure }
    }

    /// Moves the whole log into the main file, including changes of earlier runs.
    private func emptyLog() throws(StoreError) {
        guard refusal == nil, let database else { return }
        guard try sqlite({ () throws(SQLiteError) in try database.checkpoint() }) else { return }
        if lastNumber > 0 { noteNewest(isClosed: true) }
    }

    private func detach() {
        database?.dropStatements()
        database = nil
    }

    /// Frees the memory that the store can do without while it is idle.
    package func releaseMemory() {
        database?.releaseMemory()
    }

    /// Returns the counters of the store's content and of its writes.
    package func statistics() throws(StoreError) -> StoreStatistics {
        let database = try open()
        let bytes = database.bytesWritten &+ besideBytes
        let syncs = database.syncs &+ besideSyncs
        let oldest = try sqlite { () throws(SQLiteError) -> Int64? in
            let row = try database.cached("SELECT min(number) FROM generations")
            defer { row.reset() }
            return try row.step() ? try row.column(0) : nil
        }
        return StoreStatistics(
            settings: settingsCount, generations: historyCount, oldestGeneration: oldest, historyBytes: historyBytes,
            commits: commits, bytesWritten: bytes, syncs: syncs, totalBytesWritten: formerBytes &+ bytes,
            totalSyncs: formerSyncs &+ syncs, fileBytes: try directory.size(of: StoreFormat.mainName) ?? 0,
            logBytes: try directory.size(of: StoreFormat.logName) ?? 0, freeBytes: directory.freeBytes,
            copiedGeneration: copyPolicy.last?.generation.generation)
    }

    func open() throws(StoreError) -> Database {
        guard let database else {
            throw StoreError(.closed, directory.path, "The store “\(directory.path)” was closed; open it again.")
        }
        return database
    }

    /// Runs `body` and translates SQLite errors.
    func sqlite<Value>(_ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw StoreError(error, directory.path(of: StoreFormat.mainName))
        }
    }
}

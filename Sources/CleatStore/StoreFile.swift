package import CleatAPI
import CleatJSON
import CleatSandbox
package import SystemPackage

/// Keeps the settings in one SQLite file, for one thread at a time.
package final class StoreFile {
    let directory: StoreDirectory
    let hook: StorageHook?
    /// What happened when the store was opened.
    package internal(set) var opening = StoreOpening()
    /// What the store keeps and takes; a new bound is kept from the next commit, or `prune()`, on.
    package var limits: StoreLimits {
        didSet { copyPolicy.interval = limits.copyInterval }
    }
    /// The connection, nil once the store was closed.
    ///
    /// Only tests use it from outside of the module: to look at the file, and to weaken what it promises.
    package internal(set) var database: Database?
    var storeID = ""
    /// The number of the last generation that is not on trial: what boots.
    var number: Int64 = 0
    /// The number of the last generation of all.
    var lastNumber: Int64 = 0
    /// The number of the generation on trial.
    var pending: Int64?
    /// Whether the file has the tables of format 1.1; on a full disk an older file stays without, until the first trial.
    var hasTrialTables = false
    /// Whether the file has the table of format 1.2, which comes in the same way.
    var hasFingerprints = false
    /// What snapshots there are; nil until somebody asks, and where there never was one.
    var knownSnapshots: SnapshotTotals?
    /// Whether the table of format 1.4 is there.
    var hasProbes = false
    /// Whether the table of format 1.5 is there; nil until somebody asks.
    var hasContents: Bool?
    var settingsCount = 0
    var settingsSum = SettingsSum()
    /// What the file says that notes the last generations; nil where there is none, or that of another store.
    var noted: NewestNote?
    var historyCount = 0
    var historyBytes: Int64 = 0
    var commits: Int64 = 0
    /// What earlier runs wrote, as the last commit recorded it.
    var formerBytes: Int64 = 0
    var formerSyncs: Int64 = 0
    /// What was written beside the database: second copies.
    var besideBytes: Int64 = 0
    var besideSyncs: Int64 = 0
    var copyPolicy: CopyPolicy
    /// The directory of the store that this one stands in for, which stays locked.
    var original: StoreDirectory?
    /// What every change is refused with, where this is a copy in memory.
    var refusal: StoreError?

    /// Opens the store of a directory, or makes one.
    ///
    /// A main file that is empty, foreign or damaged is set aside, never deleted, and the settings are taken from the
    /// second copy; `opening` says so. An error leaves every file alone.
    ///
    /// - Parameters:
    ///   - directory: the store's own directory; made where it is missing.
    ///   - stamp: the time, for the generation that a restored copy becomes.
    ///   - limits: what the store keeps and takes.
    ///   - hook: asked before each operation on the store's files; for tests.
    /// - Throws: what stands in the way.
    package init(
        directory: FilePath, stamp: CommitStamp = .now(), limits: StoreLimits = StoreLimits(), hook: StorageHook? = nil
    ) throws(StoreError) {
        self.directory = try StoreDirectory(directory)
        self.limits = limits
        self.hook = hook
        copyPolicy = CopyPolicy(interval: limits.copyInterval)
        try self.directory.check(StoreFormat.names)
        sweep()
        // One that is damaged is as good as none, and is written anew.
        copyPolicy.last = readCopyHeader()
        try openOrRestore(stamp)
    }

    /// Whether the store's path still leads to the directory that is open; of a copy in memory, that of its original.
    var isInPlace: Bool { (original ?? directory).isInPlace }

    /// The store and the number of its last confirmed generation, which is what boots; 0 is the empty store.
    ///
    /// While a change is on trial, this is the generation before it.
    package var generation: GenerationRef { GenerationRef(store: storeID, generation: number) }

    /// Closes the store.
    ///
    /// - Parameter stamp: the time, for the second copy, which is written where it is stale; nil to write none.
    /// - Throws: why the second copy, or what the log holds, could not be written; the store is closed all the same.
    package func close(stamp: CommitStamp?) throws(StoreError) {
        guard database != nil else { return }
        var failure: StoreError?
        if let stamp, refusal == nil, copyPolicy.isStale(generation) {
            do throws(StoreError) { try writeCopy(stamp) } catch { failure = error }
        }
        do throws(StoreError) { try emptyLog() } catch { failure = failure ?? error }
        detach()
        // Only now that the last reference to the connection has gone.
        directory.unlock()
        if let failure { throw failure }
    }

    /// Moves the whole log into the main file, also what an earlier run has left in it.
    private func emptyLog() throws(StoreError) {
        guard refusal == nil, let database else { return }
        guard try sqlite({ () throws(SQLiteError) in try database.checkpoint() }) else { return }
        if lastNumber > 0 { noteNewest(isClosed: true) }
    }

    private func detach() {
        database?.dropStatements()
        database = nil
    }

    /// Hands back the memory that the store can do without while nothing happens.
    package func releaseMemory() {
        database?.releaseMemory()
    }

    /// Counts what the store holds and has written.
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

    /// Runs `body` and translates what SQLite says.
    func sqlite<Value>(_ body: () throws(SQLiteError) -> Value) throws(StoreError) -> Value {
        do throws(SQLiteError) {
            return try body()
        } catch {
            throw StoreError(error, directory.path(of: StoreFormat.mainName))
        }
    }
}

internal import CleatSandbox
package import CleatSettings
package import SystemPackage

/// A store of settings in one SQLite file, for one thread at a time: the open file with its parts.
package final class StoreFile {
    let store: StoreDatabase
    /// The snapshots.
    package let snapshots: SnapshotStore
    /// The second copy of the settings.
    package let copies: SecondCopyWriter
    /// The repairs and other events of opening the store.
    package internal(set) var opening: StoreOpening
    /// The directory of the store that this in-memory fallback replaces, which stays locked; else nil.
    var original: StoreDirectory?

    /// Opens the store of a directory, or creates one.
    ///
    /// A main file that is empty, foreign or damaged is quarantined, never deleted, and the settings are taken from the
    /// second copy; `opening` reports it. If opening fails, files with settings are at most renamed (quarantined).
    ///
    /// - Parameters:
    ///   - directory: the store's own directory; created if it is missing.
    ///   - stamp: the time of the generation that is written if the second copy is restored.
    ///   - limits: the bounds of the store.
    ///   - defersCheck: true to leave the check of a store that was closed to `checkIfDue(_:)`, for the sake of a
    ///     quick start; any other store is checked here.
    ///   - hook: called before each operation on the store's files; for tests.
    /// - Throws: the reason why it cannot be opened.
    package init(
        directory: FilePath, stamp: CommitStamp = .now(), limits: StoreLimits = StoreLimits(),
        defersCheck: Bool = false, hook: StorageHook? = nil
    ) throws(StoreError) {
        store = StoreDatabase(try StoreDirectory(directory), limits)
        try store.directory.check(StoreFormat.names)
        copies = SecondCopyWriter(store)
        snapshots = SnapshotStore(store)
        var opener = StoreOpener(store, copies, defersCheck: defersCheck, hook: hook)
        opener.sweep()
        try opener.open(stamp)
        opening = opener.opening
    }

    /// The confirmed settings, with which the device boots.
    package var settings: SettingsTable { SettingsTable(store: store) }
    /// The generations with their changes.
    package var history: History { History(store: store) }
    /// The contents of documents.
    package var contents: ContentTable { ContentTable(store: store) }
    /// The changes that take effect at once.
    package var commits: Commits { Commits(store: store) }
    /// The change on trial.
    package var trials: Trials { Trials(store: store) }
    /// The origins and fingerprints of resources.
    package var resources: ResourceTable { ResourceTable(store: store) }

    /// The bounds of the store; a new bound applies from the next commit, or `History.prune()`, on.
    package var limits: StoreLimits {
        get { store.limits }
        set { store.limits = newValue }
    }

    /// The connection; nil once the store was closed.
    ///
    /// Only tests use it from outside of the module: to inspect the file, and to relax its guarantees.
    package var database: Database? { store.connection }

    /// True if the store's path still leads to the open directory; for an in-memory fallback, that of the original
    /// store.
    var isInPlace: Bool { (original ?? store.directory).isInPlace }

    /// The store and the number of its last confirmed generation, with which the device boots; 0 is the empty store.
    ///
    /// While a change is on trial, this is the generation before it.
    package var generation: GenerationRef { store.generation }

    /// Closes the store.
    ///
    /// - Parameter stamp: the time for the second copy, which is written if it is stale; nil to write none.
    /// - Throws: the reason why the second copy, or the log's content, could not be written; the store is closed all
    ///   the same.
    package func close(stamp: CommitStamp?) throws(StoreError) {
        guard store.connection != nil else { return }
        var failure: StoreError?
        if let stamp, store.refusal == nil, copies.isStale {
            do throws(StoreError) { try copies.write(stamp) } catch { failure = error }
        }
        do throws(StoreError) { try store.close() } catch { failure = failure ?? error }
        // This comes last, after the last reference to the connection was released.
        store.directory.unlock()
        if let failure { throw failure }
    }

    /// Checks the whole file, which the opening of a store that was closed leaves for later.
    ///
    /// - Parameter stamp: the time for the second copy, which a damaged store still writes if it is stale.
    /// - Throws: `corrupt`; every change is refused from then on, and the next opening quarantines the file. `copyFailed` if
    ///   the second copy could not be written either. Else the error of a read that the device has refused.
    package func checkIfDue(_ stamp: CommitStamp) throws(StoreError) {
        do throws(StoreError) {
            try store.checkIfDue()
        } catch {
            guard error.code == .corrupt, copies.isStale else { throw error }
            do throws(StoreError) {
                try copies.write(stamp)
            } catch let other {
                // Not `corrupt`: another opening would restore an older copy.
                throw StoreError(.copyFailed, store.directory.path, "\(error.description) \(other.description)")
            }
            throw error
        }
    }

    /// Writes the version of this program next to the store, for a release that cannot read it.
    ///
    /// - Parameter release: the version.
    /// - Throws: the reason why it could not be written; the store itself is intact.
    package func note(release: String) throws(StoreError) {
        guard store.refusal == nil, store.directory.release != release else { return }
        do throws(DurableFileError) {
            try DurableFile.write(
                Array("\(release)\n".utf8), to: StoreFormat.releaseName, in: store.directory.descriptor)
        } catch {
            throw StoreError(.copyFailed, store.directory.path(of: StoreFormat.releaseName), error.description)
        }
        store.wear.addBeside(bytes: release.utf8.count + 1, syncs: 2)
    }

    /// Frees the memory that the store can do without while it is idle.
    package func releaseMemory() {
        store.connection?.releaseMemory()
    }

    /// Returns the counters of the store's content and of its writes.
    package func statistics() throws(StoreError) -> StoreStatistics {
        let database = try store.open()
        let (figures, wear) = (store.figures, store.wear)
        let (bytes, syncs) = (wear.bytes(database), wear.syncs(database))
        let oldest = try store.sqlite { () throws(SQLiteError) -> Int64? in
            let row = try database.cached("SELECT min(number) FROM generations")
            defer { row.reset() }
            return try row.step() ? try row.column(0) : nil
        }
        return StoreStatistics(
            settings: figures.settingsCount, generations: figures.historyCount, oldestGeneration: oldest,
            historyBytes: figures.historyBytes,
            commits: wear.commits, bytesWritten: bytes, syncs: syncs, totalBytesWritten: wear.formerBytes &+ bytes,
            totalSyncs: wear.formerSyncs &+ syncs, fileBytes: try store.directory.size(of: StoreFormat.mainName) ?? 0,
            logBytes: try store.directory.size(of: StoreFormat.logName) ?? 0, freeBytes: store.directory.freeBytes,
            copiedGeneration: copies.stated?.generation)
    }
}

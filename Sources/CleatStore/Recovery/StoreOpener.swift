import CleatSandbox
import CleatSettings

/// The opening of a store's files: checks them, creates what is missing, quarantines what is damaged.
struct StoreOpener {
    let store: StoreDatabase
    let copies: SecondCopyWriter
    /// True if the check of what a start does not read follows later.
    let defersCheck: Bool
    let hook: StorageHook?
    /// The repairs and other events so far.
    private(set) var opening = StoreOpening()

    private var directory: StoreDirectory { store.directory }
    private var quarantine: Quarantine { Quarantine(directory: directory) }

    /// The outcome of opening the main file.
    private enum Attached {
        case ready
        /// The file must be quarantined, for this reason.
        case useless(String)
        /// The file has the format version of another release, and is not changed.
        case otherVersion(Int64)
    }

    init(_ store: StoreDatabase, _ copies: SecondCopyWriter, defersCheck: Bool, hook: StorageHook?) {
        self.store = store
        self.copies = copies
        self.defersCheck = defersCheck
        self.hook = hook
    }

    /// Deletes the files of interrupted writes; on a read-only file system it does nothing.
    mutating func sweep() {
        opening.swept = (try? DurableFile.sweep(in: directory.descriptor)) ?? 0
        for suffix in ["", "-wal", "-journal"] where directory.remove(StoreFormat.newName + suffix) {
            opening.swept += 1
        }
    }

    /// Opens the main file, or creates one; repairs a store that lacks acknowledged changes.
    mutating func open(_ stamp: CommitStamp) throws(StoreError) {
        var main = MainFileKind.missing
        if let head = try directory.head(of: StoreFormat.mainName, count: 100, writing: true) {
            main = MainFileKind(head: head.bytes, size: head.size)
        }
        switch main {
        case .store(let version):
            guard Self.isReadable(version) else { throw otherVersion(version) }
            let lacksLog = try !directory.hasLog
            guard let reason = try openMain() else {
                var repair = LostLogRepair(store: store, copies: copies, opening: opening)
                defer { opening = repair.opening }
                return try repair.run(lacksLog: lacksLog, stamp)
            }
            opening.quarantined += try quarantine.moveStore(reason: reason)
        case .foreign(let reason):
            opening.quarantined += try quarantine.moveStore(reason: reason)
        case .missing:
            opening.quarantined += try quarantine.moveOrphans()
        }
        let copy = try copies.read(quarantining: &opening.quarantined)
        try StoreCreation(store: store, hook: hook).create(from: copy, stamp)
        opening.isNew = true
        opening.restored = copy?.header.generation
        if let reason = try openMain() {
            throw StoreError(
                .corrupt, directory.path,
                "The new store “\(directory.path)” cannot be used, because \(reason); check the storage device.")
        }
        store.noteNewest()
    }

    private static func isReadable(_ version: Int64) -> Bool {
        version >= 0 && version / 1000 == StoreFormat.major
    }

    private func otherVersion(_ version: Int64) -> StoreError {
        let release = directory.release.map { "Cleat \($0), which has used it last, or a newer release" }
        return StoreError(
            .otherVersion, directory.path,
            "The store “\(directory.path)” has format \(version / 1000).\(abs(version % 1000)), and this release knows only "
                + "format \(StoreFormat.major); it is unchanged; install \(release ?? "the release that wrote it").")
    }

    /// Opens the main file.
    ///
    /// - Returns: nil if it is open, or the reason why it must be quarantined.
    private func openMain() throws(StoreError) -> String? {
        let attached = try store.sqlite { () throws(SQLiteError) in try attach() }
        switch attached {
        case .ready: return nil
        case .useless(let reason): return reason
        case .otherVersion(let version): throw otherVersion(version)
        }
    }

    private func attach() throws(SQLiteError) -> Attached {
        let path = directory.path(of: StoreFormat.mainName)
        do throws(SQLiteError) {
            // Only files that are as closing has left them need not be checked first.
            let closed = defersCheck ? NewestNote.read(in: directory) : nil
            let isAsClosed = closed?.isOfClosed(directory) == true
            let database = try Database(path: path, hook: hook)
            database.setReadingAhead(true)
            try configure(database)
            if database.isReadOnly {
                throw SQLiteError(code: .readOnly, sql: "open \(path)", message: "the file can only be read")
            }
            let version: Int64 = try database.value("PRAGMA user_version") ?? 0
            guard Self.isReadable(version) else { return .otherVersion(version) }
            if !isAsClosed, let reason = try check(database) { return .useless(reason) }
            let reader = SettingsReader(database)
            let (figures, reason) = try StoreFigures.read(database, into: reader)
            guard let figures else { return .useless(reason) }
            // A power cut can bring back the note and the times of files from before the last changes.
            if isAsClosed, closed.map(figures.areNoted) != true, let reason = try check(database) {
                return .useless(reason)
            }
            // The end of a trial reads the history, too.
            if figures.pending != nil, let reason = try check(database, isWhole: true) { return .useless(reason) }
            if store.check == .due { try Self.readForStart(database) }
            try use(database, figures)
            store.found = (reader.settings, reader.unreadable)
            return .ready
        } catch {
            let code = error.code.primary
            // A flipped bit can change the type of a value, which SQLite's own check does not detect.
            guard code == .corrupt || code == .notADatabase || code == .mismatch else { throw error }
            return .useless("it is damaged (\(error.message))")
        }
    }

    /// Checks the structure of the file, or of its part that a start reads if the rest follows later.
    ///
    /// - Returns: the reason why the file is of no use; nil if what was checked is intact.
    private func check(_ database: Database, isWhole: Bool = false) throws(SQLiteError) -> String? {
        guard defersCheck, !isWhole else {
            guard store.check == .due else { return nil }
            let reason = try StoreDatabase.damage(of: database)
            if reason == nil { store.check = .passed }
            return reason
        }
        for table in StoreFormat.startTables {
            if let reason = try StoreDatabase.damage(of: database, table: table) { return reason }
        }
        return nil
    }

    /// Reads what a start reads besides the settings, so that damage there is found while the store can still be
    /// repaired.
    private static func readForStart(_ database: Database) throws(SQLiteError) {
        for query in ["SELECT resource, adapter FROM origins", "SELECT wanted, found FROM fingerprints"] {
            let rows = try database.prepare(query)
            while try rows.step() {}
        }
    }

    /// Sets all options that must be set before the first read; the order matters.
    private func configure(_ database: Database) throws(SQLiteError) {
        // Until the store is known to be intact, closing leaves every file as it was found.
        try database.persistLog()
        try database.checkpointOnClose(false)
        try database.execute("PRAGMA locking_mode=EXCLUSIVE")
        try database.execute("PRAGMA synchronous=FULL")
        try database.execute("PRAGMA temp_store=MEMORY")
        try database.execute("PRAGMA mmap_size=0")
        try database.execute("PRAGMA cache_size=-128")
        try database.execute("PRAGMA cell_size_check=ON")
        try database.execute("PRAGMA trusted_schema=OFF")
        let mode: String? = try database.value("PRAGMA journal_mode=WAL")
        guard mode == "wal" else {
            throw SQLiteError(
                code: .cannotOpen, sql: "PRAGMA journal_mode=WAL", message: "the journal mode is \(mode ?? "unknown")")
        }
        try database.execute("PRAGMA wal_autocheckpoint=\(max(16, store.limits.logFrames))")
    }

    /// Makes an intact database the store's one.
    private func use(_ database: Database, _ figures: StoreFigures) throws(SQLiteError) {
        try store.wear.readFormer(database)
        // A log that has its full size already needs no second flush for its growth in every commit. A failure here
        // costs only that.
        if let free = directory.freeBytes, free / 8 > store.limits.logBytes {
            try? database.growLog(to: store.limits.logBytes)
        }
        database.setReadingAhead(false)
        database.releaseMemory()
        store.figures = figures
        store.connection = database
    }
}

import CleatAPI
import CleatSandbox
import SystemPackage

extension StoreFile {
    /// The outcome of opening the main file.
    private enum Attached {
        case ready
        /// The file must be quarantined, for this reason.
        case useless(String)
        /// The file has the format version of another release, and is not changed.
        case otherVersion(Int64)
    }

    /// Deletes the files of interrupted writes; on a read-only file system it does nothing.
    func sweep() {
        opening.swept = (try? DurableFile.sweep(in: directory.descriptor)) ?? 0
        for suffix in ["", "-wal", "-journal"] where directory.remove(StoreFormat.newName + suffix) {
            opening.swept += 1
        }
    }

    func openOrRestore(_ stamp: CommitStamp) throws(StoreError) {
        var main = MainFile.missing
        if let head = try directory.head(of: StoreFormat.mainName, count: 100, writing: true) {
            main = MainFile(head: head.bytes, size: head.size)
        }
        switch main {
        case .store(let version):
            guard Self.isReadable(version) else { throw otherVersion(version) }
            let lacksLog = try self.lacksLog()
            guard let reason = try openMain() else {
                return try makeUpForLostLog(lacksLog: lacksLog, stamp)
            }
            try setAside(reason: reason)
        case .foreign(let reason):
            try setAside(reason: reason)
        case .missing:
            try setAsideOrphans()
        }
        let copy = try readCopy()
        try create(from: copy, stamp)
        opening.isNew = true
        opening.restored = copy?.header.generation
        if let reason = try openMain() {
            throw StoreError(
                .corrupt, directory.path,
                "The new store “\(directory.path)” cannot be used, because \(reason); check the storage device.")
        }
        noteNewest()
    }

    private static func isReadable(_ version: Int64) -> Bool {
        version >= 0 && version / 1000 == StoreFormat.major
    }

    private func otherVersion(_ version: Int64) -> StoreError {
        StoreError(
            .otherVersion, directory.path,
            "The store “\(directory.path)” has format \(version / 1000).\(abs(version % 1000)), and this release knows only "
                + "format \(StoreFormat.major); it was left as it is; run the release that wrote it.")
    }

    /// Opens the main file.
    ///
    /// - Returns: nil if it is open, or the reason why it must be quarantined.
    private func openMain() throws(StoreError) -> String? {
        let attached = try sqlite { () throws(SQLiteError) in try attach() }
        switch attached {
        case .ready: return nil
        case .useless(let reason): return reason
        case .otherVersion(let version): throw otherVersion(version)
        }
    }

    private func attach() throws(SQLiteError) -> Attached {
        let path = directory.path(of: StoreFormat.mainName)
        do throws(SQLiteError) {
            let database = try Database(path: path, hook: hook)
            try configure(database)
            if database.isReadOnly {
                throw SQLiteError(code: .readOnly, sql: "open \(path)", message: "the file can only be read")
            }
            let version: Int64 = try database.value("PRAGMA user_version") ?? 0
            guard Self.isReadable(version) else { return .otherVersion(version) }
            let check: String = try database.value("PRAGMA quick_check(1)") ?? "there is no answer"
            // SQLite reports an unreadable page as damage; but settings must not be discarded because the device fails
            // to read.
            if database.failedReads > 0 {
                throw SQLiteError(code: database.lastFailedRead, sql: "PRAGMA quick_check", message: check)
            }
            guard check == "ok" else { return .useless("it is damaged (\(check))") }
            return try load(database)
        } catch {
            let code = error.code.primary
            // A flipped bit can change the type of a value, which SQLite's own check does not detect.
            guard code == .corrupt || code == .notADatabase || code == .mismatch else { throw error }
            return .useless("it is damaged (\(error.message))")
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
        try database.execute("PRAGMA wal_autocheckpoint=\(max(16, limits.logFrames))")
    }

    private func load(_ database: Database) throws(SQLiteError) -> Attached {
        let tables: Int64? = try database.value(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (\(StoreFormat.tableNames))")
        guard tables == Int64(StoreFormat.tables.count) else { return .useless("its tables are missing") }
        guard let id: String = try database.value("SELECT value FROM meta WHERE key = 'store_id'"), id.utf8.count == 32
        else { return .useless("it has no id") }
        storeID = id
        (settingsCount, settingsSum) = (0, SettingsSum())
        let settings = try database.prepare("SELECT path, value FROM settings")
        while try settings.step() {
            settingsCount += 1
            settingsSum.add(try settings.column(0), try settings.column(1))
        }
        let history = try database.prepare(
            """
            SELECT count(*), coalesce(sum(size), 0), coalesce(max(number), 0), \
            coalesce(max(CASE WHEN state = '\(GenerationRecord.pending)' THEN 0 ELSE number END), 0) FROM generations
            """)
        if try history.step() {
            historyCount = Int(clamping: try history.column(0, as: Int64.self))
            historyBytes = try history.column(1)
            lastNumber = try history.column(2)
            number = try history.column(3)
        }
        let wear = try database.prepare("SELECT written, syncs FROM generations ORDER BY number DESC LIMIT 1")
        if try wear.step() {
            formerBytes = try wear.column(0)
            formerSyncs = try wear.column(1)
        }
        try loadTrial(database)
        // A log that has its full size already needs no second flush for its growth in every commit. A failure here
        // costs only that.
        if let free = directory.freeBytes, free / 8 > limits.logBytes {
            try? database.growLog(to: limits.logBytes)
        }
        database.releaseMemory()
        self.database = database
        return .ready
    }
}

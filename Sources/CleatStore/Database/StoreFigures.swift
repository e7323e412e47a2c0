import CleatSettings

/// The figures of a store's content that are kept in memory: its id, the numbers of the generations, counts and sums.
struct StoreFigures {
    var storeID = ""
    /// The number of the last generation that is not on trial, with which the device boots.
    var number: Int64 = 0
    /// The number of the last generation of all.
    var lastNumber: Int64 = 0
    /// The number of the generation on trial; nil if there is none.
    var pending: Int64?
    /// The number of the last generation that a repair has written; 0 if there was none.
    var lastRestored: Int64 = 0
    var settingsCount = 0
    var settingsSum = SettingsSum()
    var historyCount = 0
    var historyBytes: Int64 = 0

    init() {}

    /// Reads the figures; nil and the reason if the tables are not those of a store.
    ///
    /// - Parameters:
    ///   - database: the open file.
    ///   - reader: takes the settings, which are read only once at a start; nil to count them alone.
    /// - Returns: the figures, or the reason why there are none.
    /// - Throws: the error of SQLite if a table cannot be read.
    static func read(
        _ database: Database, into reader: SettingsReader? = nil
    ) throws(SQLiteError) -> (figures: StoreFigures?, reason: String) {
        let tables: Int64? = try database.value(
            "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (\(StoreFormat.tableNames))")
        guard tables == Int64(StoreFormat.tables.count) else { return (nil, "its tables are missing") }
        guard let id: String = try database.value("SELECT value FROM meta WHERE key = 'store_id'"), id.utf8.count == 32
        else { return (nil, "it has no id") }
        var figures = StoreFigures()
        figures.storeID = id
        let settings = try database.prepare(SettingsReader.query)
        while try settings.step() {
            figures.settingsCount += 1
            try figures.settingsSum.add(settings)
            try reader?.add(settings)
        }
        let history = try database.prepare(
            """
            SELECT count(*), coalesce(sum(size), 0), coalesce(max(number), 0), \
            coalesce(max(CASE WHEN state = 'pending' THEN 0 ELSE number END), 0), \
            coalesce(max(CASE WHEN state = 'restored' THEN number END), 0) FROM generations
            """)
        if try history.step() {
            figures.historyCount = Int(clamping: try history.column(0, as: Int64.self))
            figures.historyBytes = try history.column(1)
            figures.lastNumber = try history.column(2)
            figures.number = try history.column(3)
            figures.lastRestored = try history.column(4)
        }
        figures.pending = try database.value("SELECT generation FROM trial")
        return (figures, "")
    }

    /// Returns true if a note was written for a store with these figures.
    func areNoted(in note: NewestNote) -> Bool {
        note.generation == GenerationRef(store: storeID, generation: number) && note.last == lastNumber
            && note.sum == settingsSum
    }

    /// Counts generations that were added to the history, and those that were deleted for them.
    mutating func add(_ size: Int64, of count: Int = 1, pruned: (count: Int, bytes: Int64) = (0, 0)) {
        historyCount += count - pruned.count
        historyBytes += size - pruned.bytes
    }

    /// Applies the change of one setting to the count and the checksum.
    mutating func change(_ path: String, from old: String?, to new: String?) {
        settingsCount += (new == nil ? 0 : 1) - (old == nil ? 0 : 1)
        if let old { settingsSum.remove(path, old) }
        if let new { settingsSum.add(path, new) }
    }
}

/// The counters of a store's writes, for the wear of the flash.
struct WearCounters {
    /// The number of commits in this run; each step of a trial is one.
    var commits: Int64 = 0
    /// The bytes that earlier runs wrote, as the last commit recorded them.
    var formerBytes: Int64 = 0
    var formerSyncs: Int64 = 0
    /// The bytes written next to the database in this run: second copies and notes of the newest generations.
    private(set) var besideBytes: Int64 = 0
    private(set) var besideSyncs: Int64 = 0

    /// Reads the counters of earlier runs, as the last generation recorded them.
    mutating func readFormer(_ database: Database) throws(SQLiteError) {
        let wear = try database.prepare("SELECT written, syncs FROM generations ORDER BY number DESC LIMIT 1")
        guard try wear.step() else { return }
        formerBytes = try wear.column(0)
        formerSyncs = try wear.column(1)
    }

    /// Counts a write next to the database.
    mutating func addBeside(bytes: Int, syncs: Int64) {
        besideBytes &+= Int64(bytes)
        besideSyncs &+= syncs
    }

    /// Returns the bytes written in this run.
    func bytes(_ database: Database) -> Int64 { database.bytesWritten &+ besideBytes }

    /// Returns the flushes in this run.
    func syncs(_ database: Database) -> Int64 { database.syncs &+ besideSyncs }
}

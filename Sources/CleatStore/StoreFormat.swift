/// The file format: its marks, its version, its tables.
enum StoreFormat {
    static let pageSize = 1024
    /// “Clea”, as SQLite's application id, which identifies the program that owns a file.
    static let applicationID: Int64 = 0x436C_6561
    static let major: Int64 = 1
    static let minor: Int64 = 4
    static var userVersion: Int64 { major * 1000 + minor }

    static let mainName = "settings.db"
    static let logName = "settings.db-wal"
    static let besides = ["settings.db-wal", "settings.db-journal", "settings.db-shm"]
    static let copyName = "settings.copy.json"
    /// The file with the note of the last acknowledged generation.
    static let noteName = "settings.newest"
    /// All files that are opened by name.
    static let names = [mainName] + besides + [copyName, noteName]
    /// The temporary name under which a new store is created, before it is renamed.
    static let newName = ".cleat-new-settings.db"

    static let tables = [
        "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
        "CREATE TABLE settings(path TEXT PRIMARY KEY, value TEXT NOT NULL, generation INTEGER NOT NULL) WITHOUT ROWID",
        """
        CREATE TABLE generations(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, \
        time INTEGER NOT NULL, boot_id TEXT NOT NULL, boot_time INTEGER NOT NULL, synchronised INTEGER NOT NULL, \
        author TEXT NOT NULL, comment TEXT, state TEXT NOT NULL, size INTEGER NOT NULL, \
        written INTEGER NOT NULL, syncs INTEGER NOT NULL)
        """,
        """
        CREATE TABLE changes(generation INTEGER NOT NULL, path TEXT NOT NULL, old TEXT, new TEXT, \
        PRIMARY KEY(generation, path)) WITHOUT ROWID
        """,
    ]
    static let tableNames = "'meta', 'settings', 'generations', 'changes'"
    /// The tables of format 1.1, for trials.
    ///
    /// A release of format 1.0 neither reads nor writes them, and sees the confirmed settings.
    static let trialTables = [
        """
        CREATE TABLE IF NOT EXISTS trial(single INTEGER PRIMARY KEY CHECK(single = 1), generation INTEGER NOT NULL, \
        id TEXT NOT NULL, owner TEXT NOT NULL, phase TEXT NOT NULL, adapter TEXT, window INTEGER, deadline_boot TEXT, \
        deadline INTEGER, extended INTEGER NOT NULL, time INTEGER NOT NULL, boot_id TEXT NOT NULL, \
        boot_time INTEGER NOT NULL, synchronised INTEGER NOT NULL, failures TEXT)
        """,
        """
        CREATE TABLE IF NOT EXISTS mementos(position INTEGER PRIMARY KEY, generation INTEGER NOT NULL, \
        resource TEXT NOT NULL, adapter TEXT NOT NULL, state BLOB NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS origins(resource TEXT PRIMARY KEY, adapter TEXT NOT NULL, \
        generation INTEGER NOT NULL, state BLOB NOT NULL)
        """,
    ]
    static let trialTableNames = "'trial', 'mementos', 'origins'"
    /// The table of format 1.2: fingerprints of the resources right after the service wrote them.
    ///
    /// The fingerprints of a change on trial are stored next to the confirmed ones. A release of format 1.1 neither
    /// reads nor writes the table.
    static let fingerprintTables = [
        """
        CREATE TABLE IF NOT EXISTS fingerprints(resource TEXT NOT NULL, pending INTEGER NOT NULL, \
        adapter TEXT NOT NULL, wanted TEXT NOT NULL, found TEXT NOT NULL, \
        PRIMARY KEY(resource, pending)) WITHOUT ROWID
        """
    ]
    static let fingerprintTableNames = "'fingerprints'"
    /// The table of format 1.4: the probes that must hold for the change on trial to be kept.
    static let probeTables = [
        """
        CREATE TABLE IF NOT EXISTS probes(position INTEGER PRIMARY KEY, generation INTEGER NOT NULL, \
        probe TEXT NOT NULL, failure TEXT)
        """
    ]
    static let probeTableNames = "'probes'"
    /// The tables of formats 1.1, 1.2 and 1.4, which every store gets when it is opened.
    static var laterTables: [String] { trialTables + fingerprintTables + probeTables }
    static let insertGeneration = """
        INSERT INTO generations(number, id, hash, time, boot_id, boot_time, synchronised, author, comment, state, \
        size, written, syncs) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
}

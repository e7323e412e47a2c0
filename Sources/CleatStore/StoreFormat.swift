/// Describes the file: its marks, its version, its tables.
enum StoreFormat {
    static let pageSize = 1024
    /// “Clea”, where SQLite keeps the number that tells whose file it is.
    static let applicationID: Int64 = 0x436C_6561
    static let major: Int64 = 1
    static let minor: Int64 = 4
    static var userVersion: Int64 { major * 1000 + minor }

    static let mainName = "settings.db"
    static let logName = "settings.db-wal"
    static let besides = ["settings.db-wal", "settings.db-journal", "settings.db-shm"]
    static let copyName = "settings.copy.json"
    /// The file that says up to which generation changes were acknowledged.
    static let noteName = "settings.newest"
    /// All files that are opened by their names.
    static let names = [mainName] + besides + [copyName, noteName]
    /// The file that a new store is made in, before it takes its name.
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
    /// What format 1.1 adds.
    ///
    /// A release of format 1.0 neither reads nor writes it, and sees the confirmed settings.
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
    /// What format 1.2 adds: what the resources were right after the service wrote them.
    ///
    /// Those of a change on trial stand beside those of what is confirmed. A release of format 1.1 neither reads nor
    /// writes it.
    static let fingerprintTables = [
        """
        CREATE TABLE IF NOT EXISTS fingerprints(resource TEXT NOT NULL, pending INTEGER NOT NULL, \
        adapter TEXT NOT NULL, wanted TEXT NOT NULL, found TEXT NOT NULL, \
        PRIMARY KEY(resource, pending)) WITHOUT ROWID
        """
    ]
    static let fingerprintTableNames = "'fingerprints'"
    /// What format 1.4 adds: what has to hold for the change on trial to be kept.
    static let probeTables = [
        """
        CREATE TABLE IF NOT EXISTS probes(position INTEGER PRIMARY KEY, generation INTEGER NOT NULL, \
        probe TEXT NOT NULL, failure TEXT)
        """
    ]
    static let probeTableNames = "'probes'"
    /// What the formats after 1.0 add.
    static var laterTables: [String] { trialTables + fingerprintTables + probeTables }
    static let insertGeneration = """
        INSERT INTO generations(number, id, hash, time, boot_id, boot_time, synchronised, author, comment, state, \
        size, written, syncs) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """
}

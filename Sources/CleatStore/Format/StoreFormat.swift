/// The file format: its marks, its version, its tables.
///
/// A newer minor version of the same major one only adds tables, or columns that may be NULL: this release reads and
/// writes such a file, and leaves its version as it is. A file of another major version is refused untouched.
enum StoreFormat {
    static let pageSize = 1024
    /// “Clea”, as SQLite's application id, which identifies the program that owns a file.
    static let applicationID: Int64 = 0x436C_6561
    static let major: Int64 = 1
    static let minor: Int64 = 0
    static var userVersion: Int64 { major * 1000 + minor }

    static let mainName = "settings.db"
    static let logName = "settings.db-wal"
    static let besides = ["settings.db-wal", "settings.db-journal", "settings.db-shm"]
    static let copyName = "settings.copy.json"
    /// The file with the note of the last acknowledged generation.
    static let noteName = "settings.newest"
    /// The file with the version of the release that has opened the store last, in every format.
    static let releaseName = "settings.release"
    /// All files that are opened by name.
    static let names = [mainName] + besides + [copyName, noteName, releaseName]
    /// The temporary name under which a new store is created, before it is renamed.
    static let newName = ".cleat-new-settings.db"

    /// The tables, each with its name and its definition.
    ///
    /// * `settings` are the confirmed ones, with which the device boots; `generations` and `changes` are the history.
    ///   A generation that reverts another one has that one's number and id, and the reason. `confirmed_by` names the
    ///   probes that confirmed a generation; a `reason` without them is that of a second confirmation. `results` has
    ///   a text for each generation, from the caller that applied it.
    /// * `trial` has at most one row, the change on trial, with its `mementos` and `probes`. `origins` are the mementos
    ///   of resources from before Cleat first touched them. `fingerprints` are those of the resources right after the
    ///   service wrote them; the rows of a change on trial stand next to the confirmed ones.
    /// * `objects` are named by the SHA-256 of their bytes, and each is stored once, however many `snapshots` hold it:
    ///   one page of settings, one page of resources, or one memento. A snapshot names its pages, and a page of
    ///   resources names their mementos.
    /// * `contents` are those of documents, named by the SHA-256 of their bytes in hexadecimal digits, each stored once.
    ///   Settings below `documents` name them, now or in the history; a content that neither names is deleted.
    static let tables: [(name: String, definition: String)] = [
        ("meta", "(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"),
        (
            "settings",
            """
            (path TEXT PRIMARY KEY, value TEXT NOT NULL, generation INTEGER NOT NULL) WITHOUT ROWID
            """
        ),
        (
            "generations",
            """
            (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, \
            time INTEGER NOT NULL, boot_id TEXT NOT NULL, boot_time INTEGER NOT NULL, \
            synchronised INTEGER NOT NULL, author TEXT NOT NULL, comment TEXT, state TEXT NOT NULL, \
            size INTEGER NOT NULL, written INTEGER NOT NULL, syncs INTEGER NOT NULL, reverts INTEGER, \
            reverted_id TEXT, reason TEXT, confirmed_by TEXT)
            """
        ),
        (
            "changes",
            """
            (generation INTEGER NOT NULL, path TEXT NOT NULL, old TEXT, new TEXT, PRIMARY KEY(generation, \
            path)) WITHOUT ROWID
            """
        ),
        ("results", "(generation INTEGER PRIMARY KEY, results TEXT NOT NULL)"),
        (
            "trial",
            """
            (single INTEGER PRIMARY KEY CHECK(single = 1), generation INTEGER NOT NULL, id TEXT NOT NULL, \
            owner TEXT NOT NULL, phase TEXT NOT NULL, window INTEGER, deadline_boot TEXT, \
            deadline INTEGER, time INTEGER NOT NULL, boot_id TEXT NOT NULL, \
            boot_time INTEGER NOT NULL, synchronised INTEGER NOT NULL, failures TEXT)
            """
        ),
        (
            "mementos",
            """
            (position INTEGER PRIMARY KEY, generation INTEGER NOT NULL, resource TEXT NOT NULL, \
            adapter TEXT NOT NULL, state BLOB NOT NULL)
            """
        ),
        (
            "probes",
            """
            (position INTEGER PRIMARY KEY, generation INTEGER NOT NULL, probe TEXT NOT NULL, failure TEXT)
            """
        ),
        (
            "origins",
            """
            (resource TEXT PRIMARY KEY, adapter TEXT NOT NULL, generation INTEGER NOT NULL, \
            state BLOB NOT NULL)
            """
        ),
        (
            "fingerprints",
            """
            (resource TEXT NOT NULL, pending INTEGER NOT NULL, adapter TEXT NOT NULL, wanted TEXT NOT NULL, \
            found TEXT NOT NULL, PRIMARY KEY(resource, pending)) WITHOUT ROWID
            """
        ),
        ("objects", "(hash BLOB PRIMARY KEY, size INTEGER NOT NULL, bytes BLOB NOT NULL)"),
        (
            "snapshots",
            """
            (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, store TEXT NOT NULL, \
            generation INTEGER NOT NULL, time INTEGER NOT NULL, boot_id TEXT NOT NULL, \
            boot_time INTEGER NOT NULL, synchronised INTEGER NOT NULL, author TEXT NOT NULL, comment TEXT, \
            settings INTEGER NOT NULL, resources INTEGER NOT NULL, setting_pages BLOB NOT NULL, \
            resource_pages BLOB NOT NULL, importer TEXT, hash BLOB NOT NULL)
            """
        ),
        (
            "contents",
            """
            (position INTEGER PRIMARY KEY, hash TEXT NOT NULL UNIQUE, size INTEGER NOT NULL, \
            bytes BLOB NOT NULL)
            """
        ),
    ]
    /// The tables that a start reads; their size does not grow with the history.
    static let startTables = ["meta", "settings", "trial", "mementos", "probes", "origins", "fingerprints"]
    /// The names of the tables, as a list in SQL.
    static var tableNames: String { tables.map { "'\($0.name)'" }.joined(separator: ", ") }
}

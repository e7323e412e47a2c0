import CleatAPI
import CleatStore
import CleatTestSupport
import SystemPackage
import Testing

/// Does with a store what a release of format 1.0 did, by the statements that it had.
struct FormerRelease {
    let database: Database

    /// Makes a store of format 1.0, with generation 1: `a` = 1, `b` = 1.
    static func makeStore(in directory: TemporaryDirectory) throws {
        try directory.write("", to: "settings.db")
        let database = try Database(path: directory.appending("settings.db"))
        try database.execute("PRAGMA page_size=1024")
        try database.execute("PRAGMA application_id=\(0x436C_6561)")
        try database.execute("PRAGMA user_version=1000")
        for table in [
            "meta(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
            "settings(path TEXT PRIMARY KEY, value TEXT NOT NULL, generation INTEGER NOT NULL) WITHOUT ROWID",
            """
            generations(number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, \
            time INTEGER NOT NULL, boot_id TEXT NOT NULL, boot_time INTEGER NOT NULL, synchronised INTEGER NOT NULL, \
            author TEXT NOT NULL, comment TEXT, state TEXT NOT NULL, size INTEGER NOT NULL, \
            written INTEGER NOT NULL, syncs INTEGER NOT NULL)
            """,
            """
            changes(generation INTEGER NOT NULL, path TEXT NOT NULL, old TEXT, new TEXT, \
            PRIMARY KEY(generation, path)) WITHOUT ROWID
            """,
        ] { try database.execute("CREATE TABLE \(table)") }
        try database.execute("INSERT INTO meta VALUES('store_id', '0123456789abcdef0123456789abcdef')")
        try database.execute("PRAGMA journal_mode=WAL")
        database.dropStatements()
        let release = try FormerRelease(directory)
        try release.commit("former-1", ["a": "1", "b": "1"])
        release.database.dropStatements()
    }

    /// Opens a store, and checks what a release of format 1.0 checked.
    init(_ directory: TemporaryDirectory) throws {
        database = try Database(path: directory.appending("settings.db"))
        try database.persistLog()
        try database.execute("PRAGMA locking_mode=EXCLUSIVE")
        try database.execute("PRAGMA journal_mode=WAL")
        let version = try database.value("PRAGMA user_version", as: Int64.self)
        try #require(version.map { $0 / 1000 } == 1)
        let tables = try database.value(
            """
            SELECT count(*) FROM sqlite_master WHERE type = 'table' \
            AND name IN ('meta', 'settings', 'generations', 'changes')
            """, as: Int64.self)
        try #require(tables == 4)
    }

    /// The last generation, as that release counted.
    var number: Int64 {
        get throws { try database.value("SELECT coalesce(max(number), 0) FROM generations") ?? 0 }
    }

    /// All settings: paths and values as JSON.
    var settings: [String: String] {
        get throws {
            let rows = try database.prepare("SELECT path, value FROM settings ORDER BY path")
            var all: [String: String] = [:]
            while try rows.step() { all[try rows.column(0)] = try rows.column(1, as: String.self) }
            return all
        }
    }

    /// Commits as that release did; a nil value unsets.
    func commit(_ id: String, _ changes: [String: String?]) throws {
        let next = try number + 1
        let former = try settings
        try database.transaction { () throws(SQLiteError) in
            for (path, value) in changes.sorted(by: { $0.key < $1.key }) {
                if let value {
                    try database.run(
                        "INSERT OR REPLACE INTO settings(path, value, generation) VALUES(?, ?, ?)",
                        [.text(path), .text(value), .integer(next)])
                } else {
                    try database.run("DELETE FROM settings WHERE path = ?", [.text(path)])
                }
                try database.run(
                    "INSERT INTO changes(generation, path, old, new) VALUES(?, ?, ?, ?)",
                    [.integer(next), .text(path), .optional(former[path]), .optional(value)])
            }
            try database.run(
                """
                INSERT INTO generations(number, id, hash, time, boot_id, boot_time, synchronised, author, comment, \
                state, size, written, syncs) VALUES(?, ?, 'h', 0, 'boot-a', 0, 0, 'former', NULL, 'confirmed', 200, 0, 0)
                """, [.integer(next), .text(id)])
        }
    }
}

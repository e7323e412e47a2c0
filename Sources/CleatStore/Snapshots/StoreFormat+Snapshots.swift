extension StoreFormat {
    /// The version of a file that holds snapshots: format 1.3.
    static let snapshotVersion = major * 1000 + 3

    /// The tables of format 1.3, created with the first snapshot: a store without snapshots keeps its former version.
    ///
    /// An object is named by the SHA-256 of its bytes, and is stored once, however many snapshots hold it. It is one
    /// page of settings, one page of resources, or one memento. A snapshot names its pages, and a page of resources
    /// names their mementos.
    static let snapshotTables = [
        """
        CREATE TABLE IF NOT EXISTS objects(hash BLOB PRIMARY KEY, size INTEGER NOT NULL, bytes BLOB NOT NULL)
        """,
        """
        CREATE TABLE IF NOT EXISTS snapshots(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, \
        store TEXT NOT NULL, generation INTEGER NOT NULL, time INTEGER NOT NULL, boot_id TEXT NOT NULL, \
        boot_time INTEGER NOT NULL, synchronised INTEGER NOT NULL, author TEXT NOT NULL, comment TEXT, \
        settings INTEGER NOT NULL, resources INTEGER NOT NULL, setting_pages BLOB NOT NULL, \
        resource_pages BLOB NOT NULL, importer TEXT, hash BLOB NOT NULL)
        """,
    ]
    static let snapshotTableNames = "'objects', 'snapshots'"
}

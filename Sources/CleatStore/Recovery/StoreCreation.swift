import CleatIO
import CleatSettings

/// The creation of a store's main file.
struct StoreCreation {
    let store: StoreDatabase
    let hook: StorageHook?

    private var directory: StoreDirectory { store.directory }

    /// Creates a store under a temporary name, with the settings of the second copy if there is one, and then renames
    /// it: a power cut never leaves half a store, or an empty file.
    func create(from copy: SecondCopy?, _ stamp: CommitStamp) throws(StoreError) {
        let name = StoreFormat.newName
        let id = RandomID.make()
        // The last number of the lost store, if it is known: no number is used twice.
        let newest =
            NewestNote.read(in: directory).flatMap {
                $0.generation.store == copy?.header.generation.store ? $0.last : nil
            } ?? 0
        do throws(StoreError) {
            try directory.create(name)
            try store.sqlite { () throws(SQLiteError) in
                try fill(directory.path(of: name), id, copy, above: newest, stamp)
            }
            guard try directory.rename(name, to: StoreFormat.mainName) else {
                throw StoreError(
                    .inUse, directory.path,
                    "Another program made “\(directory.path(of: StoreFormat.mainName))” at the same time; stop it.")
            }
            try directory.flush()
            directory.flushAbove()
        } catch {
            for suffix in ["", "-wal", "-journal"] { directory.remove(name + suffix) }
            throw error
        }
    }

    private func fill(
        _ path: String, _ id: String, _ copy: SecondCopy?, above newest: Int64, _ stamp: CommitStamp
    ) throws(SQLiteError) {
        let database = try Database(path: path, hook: hook)
        defer { database.dropStatements() }
        try database.execute("PRAGMA page_size=\(StoreFormat.pageSize)")
        try database.execute("PRAGMA locking_mode=EXCLUSIVE")
        try database.execute("PRAGMA synchronous=FULL")
        try database.execute("PRAGMA temp_store=MEMORY")
        // The file is never opened again if the next lines are interrupted, so that no journal is needed.
        try database.execute("PRAGMA journal_mode=OFF")
        try database.transaction { () throws(SQLiteError) in
            try database.execute("PRAGMA application_id=\(StoreFormat.applicationID)")
            try database.execute("PRAGMA user_version=\(StoreFormat.userVersion)")
            for table in StoreFormat.tables {
                try database.execute("CREATE TABLE \(table.name)\(table.definition)")
            }
            try database.run("INSERT INTO meta(key, value) VALUES('store_id', ?)", [.text(id)])
            if let copy { try restore(copy, above: newest, into: database, id, stamp) }
        }
        try database.execute("PRAGMA journal_mode=WAL")
    }

    private func restore(
        _ copy: SecondCopy, above newest: Int64, into database: Database, _ id: String, _ stamp: CommitStamp
    ) throws(SQLiteError) {
        let former = copy.header.generation
        let number = max(former.generation, newest) &+ 1
        try SettingsTable.insert(copy.settings, number, database)
        let comment =
            "restored from the second copy: generation \(former.generation) of store \(former.store.prefix(64))"
        try database.run(
            History.insertion,
            [
                .integer(number), .text("restored-\(id)"), .text(""), .integer(stamp.time), .text(stamp.bootID),
                .integer(stamp.bootTime), .integer(stamp.synchronised ? 1 : 0), .text("cleatd"), .text(comment),
                .text(GenerationState.restored.word), .integer(256), .integer(0), .integer(0),
            ])
    }
}

import CleatJSON
package import CleatSettings

/// The confirmed settings of a store, with which the device boots.
package struct SettingsTable {
    let store: StoreDatabase

    /// Reads all confirmed settings, with which the device boots.
    ///
    /// Changes on trial are not included.
    package func state() throws(StoreError) -> StoredState {
        let database = try store.open()
        if let found = store.found {
            store.found = nil
            return StoredState(generation: store.generation, settings: found.settings, unreadable: found.unreadable)
        }
        let reader = SettingsReader(database)
        try store.sqlite { () throws(SQLiteError) in
            let rows = try database.prepare(SettingsReader.query)
            while try rows.step() { try reader.add(rows) }
        }
        database.releaseMemory()
        return StoredState(generation: store.generation, settings: reader.settings, unreadable: reader.unreadable)
    }

    /// Reads one confirmed setting; nil if there is none, or none that this release can read.
    package func setting(at path: SettingPath) throws(StoreError) -> StoredSetting? {
        let database = try store.open()
        return try store.sqlite { () throws(SQLiteError) -> StoredSetting? in
            let row = try database.cached(
                """
                SELECT value, settings.generation, author FROM settings \
                LEFT JOIN generations ON number = settings.generation WHERE path = ?
                """)
            defer { row.reset() }
            try row.bind([.text(path.text)])
            guard try row.step(), let value = Self.value(try row.column(0)) else { return nil }
            return StoredSetting(path: path, value: value, generation: try row.column(1), author: try row.column(2))
        }
    }

    /// Parses a stored value; nil if this release cannot read it.
    static func value(_ text: String) -> JSONValue? {
        try? JSONReader.read(text)
    }

    /// Returns the changes that differ from the stored settings, and those that rewrite a value on purpose, sorted by
    /// path.
    ///
    /// - Parameters:
    ///   - request: the changes, of which each has a path of its own.
    ///   - others: the number of settings that the other changes of the transaction add.
    ///   - database: the connection.
    /// - Returns: the rows to write.
    /// - Throws: a limit, or a storage error.
    func effectiveRows(
        _ request: CommitRequest, besides others: Int = 0, _ database: Database
    ) throws(StoreError) -> [ChangedRow] {
        var rows: [ChangedRow] = []
        var added = 0
        for change in request.changes.sortedByPath() {
            let new: String? =
                switch change.new {
                case nil, .null?: nil
                case let value?: value.canonicalText
                }
            if let new, new.utf8.count > StoreLimits.valueBytes {
                throw StoreError(
                    .limit, change.path.text,
                    "The value of “\(change.path.text)” was not stored, because it has \(new.utf8.count) bytes; the limit "
                        + "is \(StoreLimits.valueBytes) bytes.")
            }
            let old = try store.sqlite { () throws(SQLiteError) -> String? in
                let statement = try database.cached("SELECT value FROM settings WHERE path = ?")
                defer { statement.reset() }
                try statement.bind([.text(change.path.text)])
                return try statement.step() ? try statement.column(0, as: String.self) : nil
            }
            guard old != new || change.isRewritten && old != nil else { continue }
            let row = ChangedRow(path: change.path, old: old, new: new)
            added += row.added
            rows.append(row)
        }
        let count = store.figures.settingsCount + others + added
        if added > 0, count > store.limits.settings {
            throw StoreError(
                .limit, store.directory.path,
                "The change was not stored, because there would be \(count) settings; the limit is "
                    + "\(store.limits.settings) settings.")
        }
        return rows
    }

    /// Applies changed rows, as those of a generation.
    func apply(_ rows: [ChangedRow], of next: Int64, _ database: Database) throws(SQLiteError) {
        for row in rows {
            let path = SQLiteValue.text(row.path.text)
            if let new = row.new {
                try database.run(
                    "INSERT OR REPLACE INTO settings(path, value, generation) VALUES(?, ?, ?)",
                    [path, .text(new), .integer(next)])
            } else {
                try database.run("DELETE FROM settings WHERE path = ?", [path])
            }
        }
    }

    /// Applies the changes of a generation to the settings; returns the change of their number.
    func takeOver(_ next: Int64, _ database: Database) throws(SQLiteError) -> Int64 {
        try database.run(
            """
            INSERT OR REPLACE INTO settings(path, value, generation) \
            SELECT path, new, generation FROM changes WHERE generation = ? AND new IS NOT NULL
            """, [.integer(next)])
        try database.run(
            """
            DELETE FROM settings WHERE path IN (SELECT path FROM changes WHERE generation = ? AND new IS NULL)
            """, [.integer(next)])
        return try database.value(
            "SELECT coalesce(sum((new IS NOT NULL) - (old IS NOT NULL)), 0) FROM changes WHERE generation = ?",
            [.integer(next)]) ?? 0
    }

    /// Returns the checksum of the settings with the changes of a generation applied.
    func sum(afterTakingOver next: Int64, _ database: Database) throws(SQLiteError) -> SettingsSum {
        var sum = store.figures.settingsSum
        let rows = try database.prepare(
            """
            SELECT changes.path, new, value FROM changes LEFT JOIN settings ON settings.path = changes.path \
            WHERE changes.generation = ?
            """, [.integer(next)])
        while try rows.step() {
            let path: String = try rows.column(0)
            if let old: String = try rows.column(2) { sum.remove(path, old) }
            if let new: String = try rows.column(1) { sum.add(path, new) }
        }
        return sum
    }

    /// Writes the settings of a copy into an empty table.
    static func insert(
        _ settings: [(path: String, value: String)], _ generation: Int64, _ database: Database
    ) throws(SQLiteError) {
        for setting in settings {
            try database.run(
                "INSERT INTO settings(path, value, generation) VALUES(?, ?, ?)",
                [.text(setting.path), .text(setting.value), .integer(generation)])
        }
    }
}

extension StoreFile {
    /// Lists the fingerprints of resources right after they were written, sorted by the bytes of their names; for a
    /// resource that the change on trial wrote, the trial's fingerprint.
    package func fingerprints() throws(StoreError) -> [StoredFingerprint] {
        let database = try open()
        guard hasFingerprints else { return [] }
        let isOnTrial = pending != nil
        return try sqlite { () throws(SQLiteError) in
            let rows = try database.prepare(
                "SELECT resource, adapter, wanted, found, pending FROM fingerprints ORDER BY resource, pending")
            var found: [StoredFingerprint] = []
            while try rows.step() {
                let fingerprint = StoredFingerprint(
                    resource: try rows.column(0), adapter: try rows.column(1), wanted: try rows.column(2),
                    found: try rows.column(3))
                // Rows that an older release left of a trial that it ended are skipped.
                if try rows.column(4, as: Int64.self) == 1 {
                    guard isOnTrial else { continue }
                    if found.last?.resource == fingerprint.resource { found.removeLast() }
                }
                found.append(fingerprint)
            }
            return found
        }
    }

    /// Stores fingerprints and origins outside of a change of settings: durable when this returns, or as before.
    ///
    /// Entries that change nothing are not written.
    ///
    /// - Parameters:
    ///   - fingerprints: the present fingerprints of resources.
    ///   - origins: the mementos of resources that are touched for the first time; an origin that is stored already
    ///     stays.
    ///   - resources: the resources that were restored to their origins; their origins and fingerprints are deleted.
    /// - Throws: a limit, or a storage error.
    package func remember(
        _ fingerprints: [StoredFingerprint], origins: [StoredMemento] = [], forgetting resources: [String] = []
    ) throws(StoreError) {
        let database = try open()
        try check(fingerprints)
        try checkLimits(TrialRequest(origins: origins), of: "what is remembered of the system")
        let fresh = try newOrigins(origins, database)
        let known = Set(try self.fingerprints())
        let names = Set(try self.origins().map(\.resource)).union(known.map(\.resource))
        let changed = fingerprints.filter { !known.contains($0) }
        let gone = resources.filter { names.contains($0) }
        if changed.isEmpty, fresh.isEmpty, gone.isEmpty { return }
        let generation = number
        try durably(database) { () throws(SQLiteError) in
            if !self.hasTrialTables || !self.hasFingerprints { try self.makeLaterTables(database) }
            try self.insert(fresh, generation, database)
            try self.keep(changed, forgetting: gone, endsTrial: false, database)
        }
        if !changed.isEmpty || !fresh.isEmpty { noteLaterTables() }
    }

    /// Promotes the fingerprints of a trial that ends to confirmed ones, and adds others, in the open transaction.
    func keep(
        _ fingerprints: [StoredFingerprint], forgetting resources: [String], endsTrial: Bool, _ database: Database
    ) throws(SQLiteError) {
        for resource in resources {
            try database.run("DELETE FROM origins WHERE resource = ?", [.text(resource)])
        }
        // Without the table there is nothing to delete; so a full disk, on which it cannot be created, does no harm.
        if !hasFingerprints {
            if fingerprints.isEmpty { return }
            try makeLaterTables(database)
        }
        if endsTrial {
            try database.run(
                """
                DELETE FROM fingerprints WHERE pending = 0 \
                AND resource IN (SELECT resource FROM fingerprints WHERE pending = 1)
                """)
            try database.run("UPDATE fingerprints SET pending = 0 WHERE pending = 1")
        }
        try insert(fingerprints, isPending: false, database)
        for resource in resources {
            try database.run("DELETE FROM fingerprints WHERE resource = ?", [.text(resource)])
        }
    }

    /// Writes the fingerprints of resources.
    func insert(
        _ fingerprints: [StoredFingerprint], isPending: Bool, _ database: Database
    ) throws(SQLiteError) {
        for fingerprint in fingerprints {
            try database.run(
                """
                INSERT OR REPLACE INTO fingerprints(resource, pending, adapter, wanted, found) VALUES(?, ?, ?, ?, ?)
                """,
                [
                    .text(fingerprint.resource), .integer(isPending ? 1 : 0), .text(fingerprint.adapter),
                    .text(fingerprint.wanted), .text(fingerprint.found),
                ])
        }
    }

    /// Throws if fingerprints exceed the limits.
    func check(_ fingerprints: [StoredFingerprint]) throws(StoreError) {
        func refuse(_ subject: String, _ what: String, _ limit: String) -> StoreError {
            StoreError(
                .limit, subject, "What the service wrote was not remembered, because \(what); the limit is \(limit).")
        }
        if fingerprints.count > StoreLimits.mementos {
            throw refuse(
                directory.path, "it is \(fingerprints.count) resources", "\(StoreLimits.mementos) resources")
        }
        for fingerprint in fingerprints {
            let name = fingerprint.resource.utf8.count
            if name == 0 || name > StoreLimits.resourceBytes {
                throw refuse(
                    fingerprint.resource, "the name of a resource has \(name) bytes",
                    "1 to \(StoreLimits.resourceBytes) bytes")
            }
            for word in [fingerprint.adapter, fingerprint.wanted, fingerprint.found]
            where word.utf8.count > StoreLimits.wordBytes {
                throw refuse(
                    fingerprint.resource,
                    "the adapter or the fingerprint of “\(fingerprint.resource)” has \(word.utf8.count) bytes",
                    "\(StoreLimits.wordBytes) bytes")
            }
        }
    }
}

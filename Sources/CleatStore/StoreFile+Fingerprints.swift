extension StoreFile {
    /// Lists what resources were right after they were written, sorted by the bytes of their names; of one that is on
    /// trial, too, as the trial wrote it.
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
                // What an older release has left of a trial that it ended is not looked at.
                if try rows.column(4, as: Int64.self) == 1 {
                    guard isOnTrial else { continue }
                    if found.last?.resource == fingerprint.resource { found.removeLast() }
                }
                found.append(fingerprint)
            }
            return found
        }
    }

    /// Keeps what was written outside of a change of settings: durable when this returns, or as before.
    ///
    /// What changes nothing is not written.
    ///
    /// - Parameters:
    ///   - fingerprints: what resources are now, to be remembered.
    ///   - origins: what resources were that are touched for the first time; an older one that is known stays.
    ///   - resources: the resources that were brought back to their origins, which are forgotten.
    /// - Throws: a limit, or what the storage said.
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

    /// Makes what is on trial what is confirmed, where it is, and adds to it, in the transaction that is open.
    func keep(
        _ fingerprints: [StoredFingerprint], forgetting resources: [String], endsTrial: Bool, _ database: Database
    ) throws(SQLiteError) {
        for resource in resources {
            try database.run("DELETE FROM origins WHERE resource = ?", [.text(resource)])
        }
        // Without the table there is nothing to forget, and a full disk, on which it cannot be made, is no obstacle.
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

    /// Writes what resources were right after they were written.
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

    /// Refuses what is beyond the limits.
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

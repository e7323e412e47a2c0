/// The states of resources that the store remembers: their origins, from before Cleat first touched them, and their
/// fingerprints, right after the service wrote them.
package struct ResourceTable {
    /// The refusal of a change that exceeds a limit: the start of a sentence.
    private static let refusedTrial = "The change was not put on trial"
    /// The refusal of origins that are stored without a change: the start of a sentence.
    private static let refusedOrigins = "The origins of the resources were not stored"

    let store: StoreDatabase

    /// Lists the resources whose origin is known, sorted by the bytes of their names.
    package func origins() throws(StoreError) -> [StoredOrigin] {
        let database = try store.open()
        return try store.sqlite { () throws(SQLiteError) in
            let rows = try database.prepare(
                "SELECT resource, adapter, generation, length(state) FROM origins ORDER BY resource")
            var origins: [StoredOrigin] = []
            while try rows.step() {
                origins.append(
                    StoredOrigin(
                        resource: try rows.column(0), adapter: try rows.column(1), generation: try rows.column(2),
                        size: try rows.column(3)))
            }
            return origins
        }
    }

    /// Reads a resource's memento from before Cleat first touched it; nil if Cleat never did.
    package func origin(of resource: String) throws(StoreError) -> StoredMemento? {
        let database = try store.open()
        return try store.sqlite { () throws(SQLiteError) -> StoredMemento? in
            let row = try database.cached("SELECT adapter, state FROM origins WHERE resource = ?")
            defer { row.reset() }
            try row.bind([.text(resource)])
            guard try row.step() else { return nil }
            return StoredMemento(resource: resource, adapter: try row.column(0), state: try row.column(1))
        }
    }

    /// Lists the fingerprints of resources right after they were written, sorted by the bytes of their names; for a
    /// resource that the change on trial wrote, the trial's fingerprint.
    package func fingerprints() throws(StoreError) -> [StoredFingerprint] {
        let database = try store.open()
        return try store.sqlite { () throws(SQLiteError) in
            let rows = try database.prepare(
                "SELECT resource, adapter, wanted, found FROM fingerprints ORDER BY resource, pending")
            var found: [StoredFingerprint] = []
            while try rows.step() {
                let fingerprint = StoredFingerprint(
                    resource: try rows.column(0), adapter: try rows.column(1), wanted: try rows.column(2),
                    found: try rows.column(3))
                // The trial's fingerprint comes second.
                if found.last?.resource == fingerprint.resource { found.removeLast() }
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
        let database = try store.open()
        try check(fingerprints)
        try check([], origins: origins, of: store.directory.path, refusing: Self.refusedOrigins)
        let fresh = try newOrigins(origins, database, refusing: Self.refusedOrigins)
        let known = Set(try self.fingerprints())
        let names = Set(try self.origins().map(\.resource)).union(known.map(\.resource))
        let changed = fingerprints.filter { !known.contains($0) }
        let gone = resources.filter { names.contains($0) }
        if changed.isEmpty, fresh.isEmpty, gone.isEmpty { return }
        let generation = store.figures.number
        try store.durably(database) { () throws(SQLiteError) in
            try self.insert(fresh, generation, database)
            try self.keep(changed, forgetting: gone, endsTrial: false, database)
        }
    }

    /// Returns the origins that the store does not have yet; of several for the same resource the first one.
    func newOrigins(
        _ origins: [StoredMemento], _ database: Database, refusing refused: String = Self.refusedTrial
    ) throws(StoreError) -> [StoredMemento] {
        var named: Set<String> = []
        var fresh: [StoredMemento] = []
        for origin in origins where named.insert(origin.resource).inserted {
            let isKnown = try store.sqlite { () throws(SQLiteError) in
                let row = try database.cached("SELECT 1 FROM origins WHERE resource = ?")
                defer { row.reset() }
                try row.bind([.text(origin.resource)])
                return try row.step()
            }
            if !isKnown { fresh.append(origin) }
        }
        guard !fresh.isEmpty else { return [] }
        let stored = try self.origins().reduce(0) { $0 + $1.size }
        let bytes = fresh.reduce(stored) { $0 + Int64($1.state.count) }
        if bytes > StoreLimits.originsBytes, let first = fresh.first {
            throw StoreError(
                .limit, first.resource,
                "\(refused), because the origins of all resources would have \(bytes) bytes; the limit is "
                    + "\(StoreLimits.originsBytes) bytes.")
        }
        return fresh
    }

    /// Writes the origins of resources, for the generation that touches them first.
    func insert(_ origins: [StoredMemento], _ next: Int64, _ database: Database) throws(SQLiteError) {
        for origin in origins {
            try database.run(
                "INSERT INTO origins(resource, adapter, generation, state) VALUES(?, ?, ?, ?)",
                [.text(origin.resource), .text(origin.adapter), .integer(next), .blob(origin.state)])
        }
    }

    /// Promotes the fingerprints of a trial that ends to confirmed ones, and adds others, in the open transaction.
    func keep(
        _ fingerprints: [StoredFingerprint], forgetting resources: [String], endsTrial: Bool, _ database: Database
    ) throws(SQLiteError) {
        for resource in resources {
            try database.run("DELETE FROM origins WHERE resource = ?", [.text(resource)])
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
                .limit, subject,
                "The state of what the service wrote was not stored, because \(what); the limit is \(limit).")
        }
        if fingerprints.count > StoreLimits.mementos {
            throw refuse(
                store.directory.path, "it is \(fingerprints.count) resources", "\(StoreLimits.mementos) resources")
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

    /// Throws if mementos or origins exceed the limits.
    func check(
        _ mementos: [StoredMemento], origins: [StoredMemento], of id: String,
        refusing refused: String = Self.refusedTrial
    ) throws(StoreError) {
        func refuse(_ subject: String, _ what: String, _ limit: String) -> StoreError {
            StoreError(.limit, subject, "\(refused), because \(what); the limit is \(limit).")
        }
        if max(mementos.count, origins.count) > StoreLimits.mementos {
            throw refuse(
                id, "\(max(mementos.count, origins.count)) resources are affected",
                "\(StoreLimits.mementos) resources")
        }
        var bytes = 0
        for memento in mementos + origins {
            let name = memento.resource.utf8.count
            if name == 0 || name > StoreLimits.resourceBytes {
                throw refuse(
                    id, "the name of a resource has \(name) bytes", "1 to \(StoreLimits.resourceBytes) bytes")
            }
            let word = memento.adapter.utf8.count
            if word == 0 || word > StoreLimits.wordBytes {
                throw refuse(
                    memento.resource, "the name of the adapter of “\(memento.resource)” has \(word) bytes",
                    "1 to \(StoreLimits.wordBytes) bytes")
            }
            if memento.state.count > StoreLimits.mementoBytes {
                throw refuse(
                    memento.resource,
                    "the memento of “\(memento.resource)” has \(memento.state.count) bytes",
                    "\(StoreLimits.mementoBytes) bytes")
            }
            bytes += memento.state.count
        }
        if bytes > StoreLimits.trialBytes {
            throw refuse(
                id, "the mementos have \(bytes) bytes", "\(StoreLimits.trialBytes) bytes")
        }
    }
}

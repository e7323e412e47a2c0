import CleatAPI

extension StoreFile {
    /// Reads the generation that is on trial, with its changes, probes and all its mementos; nil if none is.
    package func trial() throws(StoreError) -> StoredTrial? {
        let database = try open()
        guard var trial = try head() else { return nil }
        try sqlite { () throws(SQLiteError) in
            trial.changes = try changes(of: trial.generation.generation, database)
            trial.probes = try probes(of: trial.generation.generation, database)
            let rows = try database.prepare(
                "SELECT resource, adapter, state FROM mementos WHERE generation = ? ORDER BY position",
                [.integer(trial.generation.generation)])
            while try rows.step() {
                trial.mementos.append(
                    StoredMemento(
                        resource: try rows.column(0), adapter: try rows.column(1), state: try rows.column(2)))
            }
        }
        database.releaseMemory()
        return trial
    }

    /// Lists the resources whose origin is known, sorted by the bytes of their names.
    package func origins() throws(StoreError) -> [StoredOrigin] {
        let database = try open()
        guard hasTrialTables else { return [] }
        return try sqlite { () throws(SQLiteError) in
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
        let database = try open()
        guard hasTrialTables else { return nil }
        return try sqlite { () throws(SQLiteError) -> StoredMemento? in
            let row = try database.cached("SELECT adapter, state FROM origins WHERE resource = ?")
            defer { row.reset() }
            try row.bind([.text(resource)])
            guard try row.step() else { return nil }
            return StoredMemento(resource: resource, adapter: try row.column(0), state: try row.column(1))
        }
    }

    /// Reads the trial without its changes and mementos; nil if there is none.
    func head() throws(StoreError) -> StoredTrial? {
        let database = try open()
        guard pending != nil else { return nil }
        return try sqlite { () throws(SQLiteError) -> StoredTrial? in
            let row = try database.cached(
                """
                SELECT generation, id, owner, phase, adapter, window, deadline_boot, deadline, extended, time, boot_id, \
                boot_time, synchronised, failures FROM trial
                """)
            defer { row.reset() }
            return try row.step() ? try head(row) : nil
        }
    }

    private func head(_ row: Statement) throws(SQLiteError) -> StoredTrial {
        let generation: Int64 = try row.column(0)
        var deadline: TrialDeadline?
        if let bootID: String = try row.column(6) {
            deadline = TrialDeadline(bootID: bootID, bootTime: try row.column(7))
        }
        return StoredTrial(
            generation: GenerationRef(store: storeID, generation: generation), id: try row.column(1),
            owner: try row.column(2), phase: TrialPhase(word: try row.column(3), adapter: try row.column(4)),
            window: try row.column(5), deadline: deadline, extended: try row.column(8),
            began: CommitStamp(
                time: try row.column(9), bootID: try row.column(10), bootTime: try row.column(11),
                synchronised: try row.column(12)),
            failures: try row.column(13), isOvertaken: number > generation, changes: [], mementos: [])
    }

    /// Throws if a change is on trial.
    func refuseWhilePending() throws(StoreError) {
        guard let trial = try head() else { return }
        throw StoreError(
            .pending, trial.id,
            "The change was not stored, because the change “\(trial.id)” of “\(trial.owner)” is on trial as generation "
                + "\(trial.generation.generation); confirm it or abort it, and try again.",
            generation: trial.generation)
    }
}

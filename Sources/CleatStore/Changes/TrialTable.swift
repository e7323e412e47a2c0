import CleatSettings

/// The table of the change on trial, with those of its mementos and its probes.
struct TrialTable {
    let store: StoreDatabase

    /// Reads the generation that is on trial, with its changes, probes and all its mementos; nil if none is.
    func trial() throws(StoreError) -> StoredTrial? {
        let database = try store.open()
        guard var trial = try head() else { return nil }
        try store.sqlite { () throws(SQLiteError) in
            trial.changes = try History(store: store).changes(of: trial.generation.generation, database)
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

    /// Reads the trial without its changes and mementos; nil if there is none.
    func head() throws(StoreError) -> StoredTrial? {
        let database = try store.open()
        guard store.figures.pending != nil else { return nil }
        return try store.sqlite { () throws(SQLiteError) -> StoredTrial? in
            let row = try database.cached(
                """
                SELECT generation, id, owner, phase, window, deadline_boot, deadline, time, boot_id, boot_time, \
                synchronised, failures FROM trial
                """)
            defer { row.reset() }
            return try row.step() ? try head(row) : nil
        }
    }

    private func head(_ row: Statement) throws(SQLiteError) -> StoredTrial {
        let generation: Int64 = try row.column(0)
        var deadline: TrialDeadline?
        if let bootID: String = try row.column(5) {
            deadline = TrialDeadline(bootID: bootID, bootTime: try row.column(6))
        }
        return StoredTrial(
            generation: store.reference(generation), id: try row.column(1),
            owner: try row.column(2), phase: TrialPhase(word: try row.column(3)),
            window: try row.column(4), deadline: deadline,
            began: CommitStamp(
                time: try row.column(7), bootID: try row.column(8), bootTime: try row.column(9),
                synchronised: try row.column(10)),
            failures: try row.column(11), changes: [], mementos: [])
    }

    /// Reads the trial with an id, without its changes and mementos; nil if no change with that id is on trial.
    func head(of id: String) throws(StoreError) -> StoredTrial? {
        guard let trial = try head(), trial.id == id else { return nil }
        return trial
    }

    /// Reads the trial without its changes and mementos; throws if nothing is on trial.
    func required() throws(StoreError) -> StoredTrial {
        if let trial = try head() { return trial }
        throw StoreError(
            .noTrial, store.directory.path, "No change is on trial; see 'cleat log' for the last change.",
            generation: store.generation)
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

    /// Writes a trial, its mementos and its probes, for the generation that goes on trial.
    func insert(
        _ trial: TrialRequest, _ request: CommitRequest, _ next: Int64, _ database: Database
    ) throws(SQLiteError) {
        try database.run(
            """
            INSERT INTO trial(single, generation, id, owner, phase, window, time, boot_id, boot_time, \
            synchronised) VALUES(1, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .integer(next), .text(request.id), .text(request.author), .text(TrialPhase.armed.word),
                trial.window.map(SQLiteValue.integer) ?? .null, .integer(request.stamp.time),
                .text(request.stamp.bootID), .integer(request.stamp.bootTime),
                .integer(request.stamp.synchronised ? 1 : 0),
            ])
        var position: Int64 = 0
        for memento in trial.mementos {
            try database.run(
                "INSERT INTO mementos(position, generation, resource, adapter, state) VALUES(?, ?, ?, ?, ?)",
                [
                    .integer(position), .integer(next), .text(memento.resource), .text(memento.adapter),
                    .blob(memento.state),
                ])
            position += 1
        }
        try insert(trial.probes, next, database)
    }

    /// Reads the probes of the generation that is on trial, in their order.
    private func probes(of generation: Int64, _ database: Database) throws(SQLiteError) -> [StoredProbe] {
        let rows = try database.prepare(
            "SELECT probe, failure FROM probes WHERE generation = ? ORDER BY position", [.integer(generation)])
        var probes: [StoredProbe] = []
        while try rows.step() { probes.append(StoredProbe(try rows.column(0), failure: try rows.column(1))) }
        return probes
    }

    private func insert(_ probes: [StoredProbe], _ generation: Int64, _ database: Database) throws(SQLiteError) {
        var position: Int64 = 0
        for probe in probes {
            try database.run(
                "INSERT INTO probes(position, generation, probe, failure) VALUES(?, ?, ?, ?)",
                [
                    .integer(position), .integer(generation), .text(probe.probe),
                    .optional(probe.failure?.prefix(bytes: StoreLimits.wordBytes)),
                ])
            position += 1
        }
    }

    /// Changes columns of the trial's row.
    func update(_ columns: String, _ values: [SQLiteValue], _ database: Database) throws(SQLiteError) {
        try database.run("UPDATE trial SET \(columns)", values)
    }

    /// Deletes the trial, its mementos and its probes.
    func drop(_ database: Database) throws(SQLiteError) {
        for table in ["mementos", "trial", "probes"] { try database.run("DELETE FROM \(table)") }
    }
}

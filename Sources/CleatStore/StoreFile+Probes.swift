extension StoreFile {
    /// Reads the probes of the generation that is on trial, in their order.
    func probes(of generation: Int64, _ database: Database) throws(SQLiteError) -> [StoredProbe] {
        guard hasProbes else { return [] }
        let rows = try database.prepare(
            "SELECT probe, failure FROM probes WHERE generation = ? ORDER BY position", [.integer(generation)])
        var probes: [StoredProbe] = []
        while try rows.step() { probes.append(StoredProbe(try rows.column(0), failure: try rows.column(1))) }
        return probes
    }

    /// Writes the probes of a generation in the transaction that arms it, and deletes those that an older release left
    /// of a trial that it ended.
    func insert(_ probes: [StoredProbe], _ generation: Int64, _ database: Database) throws(SQLiteError) {
        try database.run("DELETE FROM probes")
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

    /// Deletes the probes of a trial that ends.
    func dropProbes(_ database: Database) throws(SQLiteError) {
        if hasProbes { try database.run("DELETE FROM probes") }
    }

    /// Throws if probes exceed the limits.
    func check(_ probes: [StoredProbe], of id: String) throws(StoreError) {
        guard probes.count <= StoreLimits.probes else {
            throw StoreError(
                .limit, id,
                "The change was not put on trial, because it has \(probes.count) probes; the limit is "
                    + "\(StoreLimits.probes) probes.")
        }
        for probe in probes where probe.probe.isEmpty || probe.probe.utf8.count > StoreLimits.wordBytes {
            throw StoreError(
                .limit, id,
                "The change was not put on trial, because a probe has \(probe.probe.utf8.count) bytes; the limit is 1 to "
                    + "\(StoreLimits.wordBytes) bytes.")
        }
    }

    /// Appends to the comment of a generation; returns the number of bytes by which its row has grown.
    func note(_ note: String, on generation: Int64, _ database: Database) throws(SQLiteError) -> Int64 {
        let comment: String =
            try database.value(
                "SELECT coalesce(comment, '') FROM generations WHERE number = ?", [.integer(generation)]) ?? ""
        let noted = (comment.isEmpty ? note : "\(comment); \(note)").prefix(bytes: StoreLimits.commentBytes)
        let growth = Int64(noted.utf8.count - comment.utf8.count)
        try database.run(
            "UPDATE generations SET comment = ?, size = size + ? WHERE number = ?",
            [.text(noted), .integer(growth), .integer(generation)])
        return growth
    }
}

import CleatAPI
import CleatIO
public import CleatSettings

extension Cleat {
    /// The largest number of generations that one call of ``history(before:limit:)`` returns.
    public static let historyLimit = 10_000

    /// Returns generations of the history, the newest first.
    ///
    /// - Parameters:
    ///   - before: the generation to start from, without itself; nil for the newest.
    ///   - limit: the largest number of generations, 1 to ``historyLimit``.
    /// - Returns: the generations.
    /// - Throws: ``CleatError``.
    public func history(before: Int64? = nil, limit: Int = 20) async throws(CleatError) -> [HistoryEntry] {
        let limit = min(max(limit, 1), Self.historyLimit)
        var entries: [HistoryEntry] = []
        var before = before
        while entries.count < limit {
            let page = try await backend.log(.init(before: before, limit: limit - entries.count))
            entries += page.generations.map(HistoryEntry.init)
            guard let next = page.next, !page.generations.isEmpty else { break }
            before = next
        }
        return Array(entries.prefix(limit))
    }

    /// Compares two generations.
    ///
    /// - Parameters:
    ///   - old: the older generation; nil for the one before `new`.
    ///   - new: the newer generation; nil for the last one.
    /// - Returns: the differences, in order of their paths; at most as many as fit into one reply of the service.
    /// - Throws: ``CleatError``: `refused` if the history does not have a generation.
    public func difference(from old: Int64? = nil, to new: Int64? = nil) async throws(CleatError) -> [ValueChange] {
        try await backend.compareGenerations(.init(from: old, to: new)).changes.map(ValueChange.init)
    }

    /// Restores the committed settings of an earlier generation, as a new generation.
    ///
    /// - Parameters:
    ///   - generation: the generation to restore, 0 for no settings at all; nil for the one before the newest change
    ///     of this program's user that is still in force.
    ///   - comment: the comment in the history, at most 1,024 bytes.
    /// - Returns: the generation in force afterwards.
    /// - Throws: ``CleatError``: `refused` if the history does not have the generation, or the present schema refuses
    ///   its values.
    @discardableResult
    public func rollback(
        to generation: Int64? = nil, comment: String? = nil
    ) async throws(CleatError) -> Int64 {
        try await backend.rollback(.init(to: generation, id: RandomID.make(), comment: comment)).generation
    }

    /// Returns the effects that a change would have; nothing is changed.
    ///
    /// ```swift
    /// let plan = try await cleat.plan { $0[.hostname] = "gateway" }
    /// for step in plan.steps { print(step.resource, step.difference ?? "") }
    /// ```
    /// - Parameter body: the closure that makes the changes, as for ``edit(comment:_:)``.
    /// - Returns: the changes and their effects.
    /// - Throws: the closure's error; or ``CleatError``: `refused` with every problem.
    public func plan(_ body: (inout EditableSettings) throws -> Void) async throws -> Plan {
        let (view, _) = try await backend.view(under: nil)
        var settings = EditableSettings(view)
        try body(&settings)
        let changes = try Self.changes(of: settings)
        return Plan(
            try await backend.set(
                .init(changes: changes.changes.map { .init(path: $0.path.text, value: $0.value) }, plan: true)))
    }

    /// Returns the change that is on trial now, of this program or another one; nil if there is none.
    ///
    /// A program that was ended during a trial finds it here, and confirms or aborts it.
    public func trial() async throws(CleatError) -> Trial? {
        try await backend.pending().trial.map { Trial(id: $0.id, generation: $0.generation, backend: backend) }
    }

    /// The snapshots of the board.
    public var snapshots: Snapshots { Snapshots(backend: backend) }
}

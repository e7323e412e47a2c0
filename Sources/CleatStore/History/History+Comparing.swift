import CleatJSON
import CleatSettings

/// The newest change of an author that is in force, and the changes of others since.
package struct NewestChange: Sendable, Equatable {
    /// The maximum number of generations that are searched.
    static let limit = 256

    /// A change of another author that came after it.
    package struct Other: Sendable, Equatable {
        /// The change's generation.
        package let number: Int64
        /// The author of the change.
        package let author: String
    }

    /// The change's generation; nil if none of the last changes is the author's.
    package let number: Int64?
    /// The generation with the settings before it, or before the newest change of all if none is the author's; nil if
    /// those settings are not known.
    package let before: Int64?
    /// The changes of others since, the newest first.
    package let later: [Other]
}

extension History {

    /// Compares two generations.
    ///
    /// A generation that is on trial, or was reverted, counts with the settings that it would have brought. The
    /// generation after it reverts them, so that both together make no difference.
    ///
    /// - Parameters:
    ///   - from: the number of the first generation; 0 is the empty store.
    ///   - to: the number of the second generation; it may be the older one.
    ///   - keepsSame: true to include settings that were changed and changed back, or rewritten with the same value.
    /// - Returns: the changes that turn `from` into `to`, sorted by the bytes of the paths.
    /// - Throws: an error if one of them does not exist, or not any more.
    package func differences(
        from: Int64, to: Int64, keepsSame: Bool = false
    ) throws(StoreError) -> [StoredChange] {
        let database = try store.open()
        let range = min(from, to)...max(from, to)
        guard range.lowerBound >= 0, range.upperBound <= store.figures.lastNumber else {
            let missing = range.lowerBound < 0 ? range.lowerBound : range.upperBound
            throw StoreError(
                .unknownGeneration, "\(missing)",
                "There is no generation \(missing); the store's last one is \(store.figures.lastNumber).",
                generation: store.reference(store.figures.lastNumber))
        }
        if range.lowerBound < range.upperBound { try refuseGaps(in: range, database) }
        return try store.sqlite { () throws(SQLiteError) in
            try fold(database, range, backwards: from > to).filter { keepsSame || $0.old != $0.new }
        }
    }

    /// Finds the newest change of an author that is in force, and the changes of others since.
    ///
    /// A change that was reverted is skipped, and so is the generation that reverted it: both together are no change.
    ///
    /// - Parameter author: the author; nil for any.
    /// - Returns: nil if no change is in force, since none was made or the settings were restored by a repair of the
    ///   store.
    /// - Throws: a storage error.
    package func newestChange(of author: String?) throws(StoreError) -> NewestChange? {
        let database = try store.open()
        return try store.sqlite { () throws(SQLiteError) -> NewestChange? in
            // Only generations that revert a trial, or were written by a repair, have no hash: no client requested them.
            let newest = try database.prepare(
                """
                SELECT number, state, author FROM generations WHERE state <> ? AND (hash <> '' OR state = ?) \
                ORDER BY number DESC LIMIT \(NewestChange.limit)
                """, [.text(GenerationState.reverted.word), .text(GenerationState.restored.word)])
            var later: [NewestChange.Other] = []
            while try newest.step(), try newest.column(1, as: String.self) != GenerationState.restored.word {
                let number: Int64 = try newest.column(0)
                let name: String = try newest.column(2)
                guard author.map({ Self.isRecord(name, of: $0) }) ?? true else {
                    later.append(NewestChange.Other(number: number, author: name))
                    continue
                }
                return NewestChange(number: number, before: try before(number, database), later: later)
            }
            // The author has no change: the newest change of others is still useful.
            guard let first = later.first else { return nil }
            return NewestChange(number: nil, before: try before(first.number, database), later: later)
        }
    }

    /// Returns true if a recorded author is a user, with or without remarks in parentheses.
    private static func isRecord(_ record: String, of author: String) -> Bool {
        record == author || record.utf8.starts(with: "\(author) (".utf8)
    }

    /// Returns the number of a generation with the settings before a change; nil if the history is empty.
    private func before(_ number: Int64, _ database: Database) throws(SQLiteError) -> Int64? {
        if let before: Int64 = try database.value(
            "SELECT number FROM generations WHERE number < ? AND state <> ? ORDER BY number DESC LIMIT 1",
            [.integer(number), .text(GenerationState.reverted.word)])
        {
            return before
        }
        // The changes of the oldest generation in the history hold the values before it.
        let oldest: Int64? = try database.value("SELECT min(number) FROM generations")
        return oldest.map { $0 - 1 }
    }

    /// Throws if changes between two generations are not known, or not any more.
    private func refuseGaps(in range: ClosedRange<Int64>, _ database: Database) throws(StoreError) {
        let (first, restored) = try store.sqlite { () throws(SQLiteError) -> (Int64, Int64?) in
            let oldest = try database.prepare("SELECT number, state FROM generations ORDER BY number LIMIT 1")
            guard try oldest.step() else { return (store.figures.lastNumber, nil) }
            let first: Int64 = try oldest.column(0)
            let isRestored = try oldest.column(1, as: String.self) == GenerationState.restored.word
            return (isRestored ? first : first - 1, try newestRepair(in: range, database))
        }
        guard range.lowerBound >= first else {
            throw StoreError(
                .historyGone, "\(range.lowerBound)",
                "Generation \(range.lowerBound) cannot be compared any more, because the history begins at \(first); name "
                    + "a later one.",
                generation: store.reference(first))
        }
        for bound in [range.lowerBound, range.upperBound] where bound > first && restored == nil {
            guard try record(number: bound) == nil else { continue }
            throw StoreError(
                .historyGone, "\(bound)", "Generation \(bound) was lost with the log of the store; name another one.",
                generation: store.reference(store.figures.lastNumber))
        }
        guard let restored else { return }
        throw StoreError(
            .historyGone, "\(range.lowerBound)",
            "Generation \(range.lowerBound) cannot be compared with those from \(restored) on, because changes before that "
                + "were lost; name a later one.",
            generation: store.reference(restored))
    }

    /// Returns the last generation above the lower bound that a repair has written; nil if there is none.
    private func newestRepair(in range: ClosedRange<Int64>, _ database: Database) throws(SQLiteError) -> Int64? {
        let last = store.figures.lastRestored
        if last <= range.lowerBound { return nil }
        if last <= range.upperBound { return last }
        return try database.value(
            "SELECT number FROM generations WHERE state = ? AND number > ? AND number <= ? ORDER BY number DESC",
            [.text(GenerationState.restored.word), .integer(range.lowerBound), .integer(range.upperBound)])
    }

    /// The text of a path, which is not parsed for each row; equal by its bytes.
    private struct PathText: Hashable {
        let text: String

        static func == (left: PathText, right: PathText) -> Bool { left.text.hasSameBytes(as: right.text) }

        func hash(into hasher: inout Hasher) { text.hashBytes(into: &hasher) }
    }

    /// The first old value of a path in a range of generations, and the generation with its last new one.
    private struct PathEnds {
        let path: String
        let old: String?
        var last: Int64
        /// The path that was changed after it the last time, by its index.
        var next: Int?
    }

    /// The number of generations from which on the pages of their changes are read ahead.
    private static let longRange: Int64 = 1_000

    /// Returns the first old and the last new value of each path in a range of generations.
    private func fold(
        _ database: Database, _ range: ClosedRange<Int64>, backwards: Bool
    ) throws(SQLiteError) -> [StoredChange] {
        let isLong = range.upperBound - range.lowerBound > Self.longRange
        if isLong { database.setReadingAhead(true) }
        defer { if isLong { database.setReadingAhead(false) } }
        let rows = try database.prepare(
            "SELECT path, generation, old FROM changes WHERE generation > ? AND generation <= ? ORDER BY generation",
            [.integer(range.lowerBound), .integer(range.upperBound)])
        // Most rows of a long history change a path once more, and only the last one of them has a value that counts.
        var places: [PathText: Int] = [:]
        var ends: [PathEnds] = []
        var place = 0
        while try rows.step() {
            let generation: Int64 = try rows.column(1)
            // Changes repeat each other: mostly the path is the one that followed the same path before.
            if let next = ends.indices.contains(place) ? ends[place].next : nil, try rows.isText(0, ends[next].path) {
                place = next
                ends[place].last = generation
                continue
            }
            let path: String = try rows.column(0)
            let known = places[PathText(text: path)]
            if ends.indices.contains(place) { ends[place].next = known ?? ends.count }
            place = known ?? ends.count
            if known == nil {
                places[PathText(text: path)] = place
                ends.append(PathEnds(path: path, old: try rows.column(2), last: generation))
            } else {
                ends[place].last = generation
            }
        }
        var changes: [StoredChange] = []
        let news = try database.prepare("SELECT new FROM changes WHERE generation = ? AND path = ?")
        for end in ends {
            guard let path = try? SettingPath(end.path) else { continue }
            try news.bind([.integer(end.last), .text(end.path)])
            let text: String? = try news.step() ? try news.column(0) : nil
            news.reset()
            let (old, new) = (end.old.flatMap(SettingsTable.value), text.flatMap(SettingsTable.value))
            changes.append(StoredChange(path: path, old: backwards ? new : old, new: backwards ? old : new))
        }
        return changes.sortedByPath()
    }
}

import CleatAPI
import CleatJSON
import CleatSettings

/// Finds the changes that make a board's settings what a text says.
struct SettingsComparison: Sendable {
    /// How a text is meant.
    enum Mode: Hashable, Sendable {
        /// It says what is to be changed: null unsets, what is left out stays (RFC 7396).
        case merge
        /// It says all that is to be set below a prefix; nil is everything.
        case replace(SettingPath?)
    }

    /// The changes, in the order of their paths.
    private(set) var changes: [RequestedChange] = []
    /// What is set, not told, and not named by the text: it stays.
    private(set) var kept: [SettingPath] = []
    /// Entries of maps that would lose all that they hold and stay, which no transaction can do.
    private(set) var emptied: [SettingPath] = []

    /// Compares a text with a board.
    init(_ document: SettingsDocument, with snapshot: SettingsSnapshot, outline: SchemaOutline, mode: Mode) {
        var wanted: [SettingPath: JSONValue?] = [:]
        for leaf in document.leaves {
            wanted[leaf.path] = .some(leaf.value)
            if let change = Self.change(for: leaf, snapshot, outline) { changes.append(change) }
        }
        if case .replace(let prefix) = mode { remove(from: snapshot, notIn: wanted, under: prefix) }
        changes.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// The change that one setting of the text asks for; nil where the board holds it already.
    private static func change(
        for leaf: SettingsDocument.Leaf, _ snapshot: SettingsSnapshot, _ outline: SchemaOutline
    ) -> RequestedChange? {
        guard let value = leaf.value else {
            return snapshot.holdsAnything(at: leaf.path) ? RequestedChange(path: leaf.path.text) : nil
        }
        if value == [:] {
            // A group needs nothing to be there; an entry of a map is there as soon as it holds something.
            if outline.place(of: leaf.path) == .group || snapshot.holdsAnything(at: leaf.path) { return nil }
        }
        if snapshot.settings[leaf.path] == value { return nil }
        return RequestedChange(path: leaf.path.text, value: value)
    }

    private mutating func remove(
        from snapshot: SettingsSnapshot, notIn wanted: [SettingPath: JSONValue?], under prefix: SettingPath?
    ) {
        var above: Set<SettingPath> = []
        for path in wanted.keys {
            var parent = path.parent
            while let found = parent, above.insert(found).inserted { parent = found.parent }
        }
        for row in snapshot.settings.rows(under: prefix) where wanted[row.path] == nil && !above.contains(row.path) {
            // What stands in the way of something that is set goes with that.
            guard let holder = Self.holder(of: row.path, in: wanted) else {
                changes.append(RequestedChange(path: row.path.text))
                continue
            }
            guard holder.value == [:] else { continue }
            if snapshot.holdsWithheld(at: holder.path) || remains(below: holder.path, wanted) {
                changes.append(RequestedChange(path: row.path.text))
            } else if emptied.last != holder.path {
                emptied.append(holder.path)
            }
        }
        kept = snapshot.withheld.keys.filter { path in
            (prefix?.isPrefix(of: path) ?? true) && wanted[path] == nil
                && Self.holder(of: path, in: wanted).map { $0.value == [:] } ?? true
        }.sorted()
    }

    private func remains(below path: SettingPath, _ wanted: [SettingPath: JSONValue?]) -> Bool {
        wanted.keys.contains { $0.isBelow(path) }
    }

    /// What the text says at a path above; of a path that it unsets nothing.
    private static func holder(
        of path: SettingPath, in wanted: [SettingPath: JSONValue?]
    ) -> (path: SettingPath, value: JSONValue?)? {
        var parent = path.parent
        while let found = parent {
            if let value = wanted[found] { return (found, value) }
            parent = found.parent
        }
        return nil
    }
}

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

    /// Compares a text with a board.
    init(_ document: SettingsDocument, with snapshot: SettingsSnapshot, outline: SchemaOutline, mode: Mode) {
        var wanted: [SettingPath: JSONValue?] = [:]
        for leaf in document.leaves {
            wanted[leaf.path] = .some(leaf.value)
            if let change = Self.change(for: leaf, snapshot, outline) { changes.append(change) }
        }
        if case .replace(let prefix) = mode { remove(from: snapshot, notIn: wanted, under: prefix, outline) }
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
            // A group needs nothing to be there; an entry of a map is there as soon as it holds something. But a single
            // value, where anything may stand, is no object yet.
            let isSingle = snapshot.settings[leaf.path].map { $0 != [:] } ?? false
            let isThere = isSingle ? snapshot.holdsWithheld(at: leaf.path) : snapshot.holdsAnything(at: leaf.path)
            if isThere || outline.place(of: leaf.path) == .group { return nil }
        }
        if snapshot.settings[leaf.path] == value { return nil }
        return RequestedChange(path: leaf.path.text, value: value)
    }

    private mutating func remove(
        from snapshot: SettingsSnapshot, notIn wanted: [SettingPath: JSONValue?], under prefix: SettingPath?,
        _ outline: SchemaOutline
    ) {
        var emptied: Set<SettingPath> = []
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
            changes.append(RequestedChange(path: row.path.text))
            // An entry would go with its last setting.
            if let entry = Self.entry(around: holder.path, outline), !snapshot.holdsWithheld(at: entry),
                !Self.remains(below: entry, wanted, outline)
            {
                emptied.insert(entry)
            }
        }
        for entry in emptied where !emptied.contains(where: { $0.isBelow(entry) }) {
            changes.append(RequestedChange(path: entry.text, value: [:]))
        }
        kept = snapshot.withheld.keys.filter { path in
            (prefix?.isPrefix(of: path) ?? true) && wanted[path] == nil
                && Self.holder(of: path, in: wanted).map { $0.value == [:] } ?? true
        }.sorted()
    }

    /// The path, or the nearest one above, that is no group: a group needs nothing to be there.
    private static func entry(around path: SettingPath, _ outline: SchemaOutline) -> SettingPath? {
        var entry: SettingPath? = path
        while let found = entry, outline.place(of: found) == .group { entry = found.parent }
        return entry
    }

    /// Whether the text has something below a path that keeps it there.
    private static func remains(
        below path: SettingPath, _ wanted: [SettingPath: JSONValue?], _ outline: SchemaOutline
    ) -> Bool {
        wanted.contains { leaf in
            guard leaf.key.isBelow(path), let value = leaf.value else { return false }
            return value != [:] || outline.place(of: leaf.key) != .group
        }
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

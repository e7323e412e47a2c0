import CleatAPI
import CleatJSON
import CleatSettings

/// Computes the changes that turn a board's settings into those of a text.
struct SettingsComparison: Sendable {
    /// The meaning of a text.
    enum Mode: Hashable, Sendable {
        /// A merge patch: null unsets, and settings that the text omits stay (RFC 7396).
        case merge
        /// The complete settings below a prefix; nil for all settings.
        case replace(SettingPath?)
    }

    /// The changes, sorted by path.
    private(set) var changes: [RequestedChange] = []
    /// The withheld settings that the text does not name: they stay.
    private(set) var kept: [SettingPath] = []

    /// Compares a text with a board's settings.
    init(_ document: SettingsDocument, with snapshot: SettingsSnapshot, outline: SchemaOutline, mode: Mode) {
        var wanted: [SettingPath: JSONValue?] = [:]
        for leaf in document.leaves {
            wanted[leaf.path] = .some(leaf.value)
            if let change = Self.change(for: leaf, snapshot, outline) { changes.append(change) }
        }
        if case .replace(let prefix) = mode { remove(from: snapshot, notIn: wanted, under: prefix, outline) }
        changes.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }

    /// Returns the change for one setting of the text; nil if the board has its value already.
    private static func change(
        for leaf: SettingsDocument.Leaf, _ snapshot: SettingsSnapshot, _ outline: SchemaOutline
    ) -> RequestedChange? {
        guard let value = leaf.value else {
            return snapshot.holdsAnything(at: leaf.path) ? RequestedChange(path: leaf.path.text) : nil
        }
        if value == [:] {
            // A group needs no value to exist; an entry of a map exists as soon as it holds a value. A single value, at
            // a path where any type is allowed, is not an object yet.
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
            // A value below a path that the text sets is replaced by that change.
            guard let holder = Self.holder(of: row.path, in: wanted) else {
                changes.append(RequestedChange(path: row.path.text))
                continue
            }
            guard holder.value == [:] else { continue }
            changes.append(RequestedChange(path: row.path.text))
            // Removing the last setting of an entry would remove the entry.
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

    /// Returns the path or its nearest ancestor that is not a group: a group needs no value to exist.
    private static func entry(around path: SettingPath, _ outline: SchemaOutline) -> SettingPath? {
        var entry: SettingPath? = path
        while let found = entry, outline.place(of: found) == .group { entry = found.parent }
        return entry
    }

    /// Returns true if the text has a value below a path that keeps the path in existence.
    private static func remains(
        below path: SettingPath, _ wanted: [SettingPath: JSONValue?], _ outline: SchemaOutline
    ) -> Bool {
        wanted.contains { leaf in
            guard leaf.key.isBelow(path), let value = leaf.value else { return false }
            return value != [:] || outline.place(of: leaf.key) != .group
        }
    }

    /// Returns the text's value at the nearest ancestor that the text names; the value is nil if the text unsets it.
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

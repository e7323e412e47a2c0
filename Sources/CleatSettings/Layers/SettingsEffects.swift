import CleatJSON

/// The effects of a change of layers, files or locks on the values in force.
package struct SettingsEffects: Sendable {
    /// The paths with a changed value, origin or state, in order.
    package private(set) var touched: [SettingPath] = []
    /// The changes of the values in force, in order; a schema default counts as no value.
    package private(set) var differences: [SettingDifference] = []

    /// True if nothing has changed.
    package var isEmpty: Bool { touched.isEmpty }

    /// Makes an empty one.
    package init() {}

    /// Finds the effects of changed rows; a row that was rewritten unchanged counts if its layer is in force.
    ///
    /// - Parameters:
    ///   - rows: the changed committed rows.
    ///   - volatile: the changed volatile rows.
    ///   - before: the settings before.
    ///   - after: the settings after, with the same sources.
    package init(
        of rows: some Sequence<SettingDifference>, volatile: [SettingDifference] = [], before: LayeredSettings,
        after: LayeredSettings
    ) {
        var leaves: [(path: SettingPath, node: SchemaNode?)] = []
        var rewritten: Set<SettingPath> = []
        for (row, layer) in rows.map({ ($0, ResolvedSetting.Origin.committed) }) + volatile.map({ ($0, .volatile) }) {
            let node = after.schema.lookup(row.path)
            leaves.append((row.path, node))
            if row.isRewritten, after.leaf(at: row.path, node)?.origin == layer { rewritten.insert(row.path) }
            // A leaf can replace rows of other layers above or below it only if the schema accepts any value there.
            guard node?.types.isEmpty == true else { continue }
            let related = Self.related(to: row.path, in: before) + Self.related(to: row.path, in: after)
            leaves += related.map { ($0, after.schema.lookup($0)) }
        }
        // The rows of one layer are in order.
        if zip(leaves, leaves.dropFirst()).contains(where: { !($0.path < $1.path) }) {
            leaves.sort { $0.path < $1.path }
        }
        var last: SettingPath?
        for (path, node) in leaves where path != last {
            last = path
            // The node is the same before: both have the same sources.
            let leaf = after.leaf(at: path, node)
            compare(rewritten.contains(path) ? nil : before.leaf(at: path, node), leaf, path)
        }
    }

    /// Compares the settings of two states at a path.
    package mutating func compare(_ old: ResolvedSetting?, _ new: ResolvedSetting?, _ path: SettingPath) {
        guard old != new else { return }
        touched.append(path)
        let before = old.flatMap { $0.isInForce ? $0.value : nil }
        let after = new.flatMap { $0.isInForce ? $0.value : nil }
        // A touched secret always counts as changed, so that no reader learns whether it is the same.
        if before != after || after != nil && new?.isSecret == true {
            differences.append(SettingDifference(path: path, old: before, new: after))
        }
    }

    /// Returns the paths above a path, at it and below it that some layer has a row at.
    private static func related(to path: SettingPath, in settings: LayeredSettings) -> [SettingPath] {
        var paths: [SettingPath] = []
        for layer in LayeredSettings.stored where !settings[layer].isEmpty {
            paths += settings[layer].rows(under: path).map(\.path)
            var above = path.parent
            while let place = above {
                if settings[layer][place] != nil { paths.append(place) }
                above = place.parent
            }
        }
        return paths
    }
}

import CleatJSON

/// Says what a change of layers, files or locks means for the values that are in force.
package struct SettingsEffects: Sendable {
    /// The paths whose value, origin or state is another one now, in order.
    package private(set) var touched: [SettingPath] = []
    /// The values in force that are other ones now, in order; a mere default is none.
    package private(set) var differences: [SettingDifference] = []

    /// Whether nothing is other than it was.
    package var isEmpty: Bool { touched.isEmpty }

    /// Makes one that says nothing.
    package init() {}

    /// Finds what rows that differ mean; one that was written as it was counts where its layer is in force.
    ///
    /// - Parameters:
    ///   - rows: the committed rows that differ.
    ///   - volatile: the volatile ones.
    ///   - before: the settings before.
    ///   - after: the settings after, with the same sources.
    package init(
        of rows: some Sequence<SettingDifference>, volatile: [SettingDifference] = [], before: LayeredSettings,
        after: LayeredSettings
    ) {
        var paths: Set<SettingPath> = []
        var rewritten: Set<SettingPath> = []
        for (row, layer) in rows.map({ ($0, ResolvedSetting.Origin.committed) }) + volatile.map({ ($0, .volatile) }) {
            paths.insert(row.path)
            if row.isRewritten, after.leaf(at: row.path)?.origin == layer { rewritten.insert(row.path) }
            // Only where anything may stand can a leaf take the place of what others have above or below it.
            guard after.schema.lookup(row.path)?.types.isEmpty == true else { continue }
            paths.formUnion(before.related(to: row.path))
            paths.formUnion(after.related(to: row.path))
        }
        for path in paths.sorted() {
            let leaf = after.leaf(at: path)
            compare(rewritten.contains(path) ? nil : before.leaf(at: path), leaf, path)
        }
    }

    /// Compares what two states hold at a path.
    package mutating func compare(_ old: ResolvedSetting?, _ new: ResolvedSetting?, _ path: SettingPath) {
        guard old != new else { return }
        touched.append(path)
        let before = old.flatMap { $0.isInForce ? $0.value : nil }
        let after = new.flatMap { $0.isInForce ? $0.value : nil }
        // Of a secret it is not told whether it is another one.
        if before != after || after != nil && new?.isSecret == true {
            differences.append(SettingDifference(path: path, old: before, new: after))
        }
    }
}

extension LayeredSettings {
    /// What a leaf holds; nil where neither a layer nor the schema has anything at the very path.
    func leaf(at path: SettingPath) -> ResolvedSetting? {
        let node = schema.lookup(path)
        let setting = resolved(path, node)
        if setting.value == nil, setting.inactive == nil { return nil }
        if setting.value == [:], hasRows(below: path) { return nil }
        return setting
    }

    /// The paths above and below a path that some layer has a row at.
    fileprivate func related(to path: SettingPath) -> [SettingPath] {
        var paths: [SettingPath] = []
        for layer in Self.stored where !self[layer].isEmpty {
            paths += self[layer].rows(under: path).map(\.path)
            var above = path.parent
            while let place = above {
                if self[layer][place] != nil { paths.append(place) }
                above = place.parent
            }
        }
        return paths
    }
}

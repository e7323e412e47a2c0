extension LayeredSettings {
    /// The most former names that one commit rewrites; the remaining ones wait for the next commit.
    private static let renamesPerCommit = 30_000

    /// Returns the path of a committed row in the store.
    package func storedPath(of path: SettingPath) -> SettingPath {
        renamed[path] ?? path
    }

    /// Returns the same stored values with other sources.
    package func following(_ sources: SettingsSources) -> LayeredSettings {
        LayeredSettings(
            sources: sources, committed: committed.withFormerNames(renamed),
            volatile: volatile.withFormerNames(renamedVolatile))
    }

    /// Returns the same sources and volatile values with other committed rows.
    ///
    /// - Parameter differences: the changes of the store's rows; they are not validated, since the store already has
    ///   them.
    /// - Returns: the settings with these rows.
    package func changingStored(_ differences: [SettingDifference]) -> LayeredSettings {
        var rows = committed.withFormerNames(renamed)
        rows.apply(differences)
        return LayeredSettings(layers: sources, committed: rows, volatile: volatile.withFormerNames(renamedVolatile))
    }

    /// Translates the differences of the store's rows to present names.
    ///
    /// - Parameter differences: the changes of the store's rows.
    /// - Returns: the changes of the committed rows in memory, in order.
    package func underPresentNames(_ differences: [SettingDifference]) -> [SettingDifference] {
        guard !schema.renames.isEmpty else { return differences }
        var rows = committed.withFormerNames(renamed)
        rows.apply(differences)
        return SettingsTree.differences(from: committed, to: underPresentNames(rows))
    }

    /// Returns the rows of another store, or of another time, under their present names.
    package func underPresentNames(_ rows: SettingsTree) -> SettingsTree {
        schema.renames.isEmpty ? rows : RowRenames(rows, schema).tree
    }

    /// Returns the settings with all committed rows replaced.
    package func replacingStored(_ stored: SettingsTree) -> LayeredSettings {
        LayeredSettings(layers: sources, committed: stored, volatile: volatile.withFormerNames(renamedVolatile))
    }

    /// Adds the rows that are renamed with a commit to its changes.
    ///
    /// - Parameters:
    ///   - differences: the changes that the commit makes in memory, in order.
    ///   - before: the settings before the commit.
    /// - Returns: the changes that the commit makes in the store, in order.
    mutating func persistRenames(
        with differences: [SettingDifference], since before: LayeredSettings
    ) -> [SettingDifference] {
        guard !differences.isEmpty, !before.renamed.isEmpty else { return differences }
        var moved: [SettingPath: SettingPath] = [:]
        // The rows that the commit itself changes must be renamed now.
        for difference in differences { moved[difference.path] = before.renamed[difference.path] }
        for (new, old) in before.renamed.sorted(by: { $0.key < $1.key }) {
            if moved.count >= Self.renamesPerCommit { break }
            moved[new] = old
        }
        var result = differences.filter { moved[$0.path] == nil }
        for (new, old) in moved {
            renamed[new] = nil
            result.append(SettingDifference(path: old, old: before.committed[new], new: nil))
            if let value = committed[new] { result.append(SettingDifference(path: new, old: nil, new: value)) }
        }
        return result.sorted { $0.path < $1.path }
    }
}

extension LayeredSettings {
    /// The most former names that one commit writes anew; the others wait for the next.
    private static let renamesPerCommit = 30_000

    /// The path that the store has a committed row at.
    package func storedPath(of path: SettingPath) -> SettingPath {
        renamed[path] ?? path
    }

    /// The same stored values over other files.
    package func following(_ sources: SettingsSources) -> LayeredSettings {
        LayeredSettings(
            sources: sources, committed: committed.withFormerNames(renamed),
            volatile: volatile.withFormerNames(renamedVolatile))
    }

    /// The same files and volatile values over other committed rows.
    ///
    /// - Parameter differences: how the store's rows change; nothing is asked of them, since the store has them already.
    /// - Returns: the settings with these rows.
    package func changingStored(_ differences: [SettingDifference]) -> LayeredSettings {
        var rows = committed.withFormerNames(renamed)
        rows.apply(differences)
        return LayeredSettings(layers: sources, committed: rows, volatile: volatile.withFormerNames(renamedVolatile))
    }

    /// Says under the names of today what differs in the store between these settings and others.
    ///
    /// - Parameter differences: how the store's rows would change.
    /// - Returns: how the committed rows in memory would, in order.
    package func underPresentNames(_ differences: [SettingDifference]) -> [SettingDifference] {
        guard !schema.renames.isEmpty else { return differences }
        var rows = committed.withFormerNames(renamed)
        rows.apply(differences)
        return SettingsTree.differences(from: committed, to: underPresentNames(rows))
    }

    /// The rows of another store, or of another time, as they would stand in memory.
    package func underPresentNames(_ rows: SettingsTree) -> SettingsTree {
        schema.renames.isEmpty ? rows : RowRenames(rows, schema).tree
    }

    /// Takes other stored settings in the place of all of these.
    package func replacingStored(_ stored: SettingsTree) -> LayeredSettings {
        LayeredSettings(layers: sources, committed: stored, volatile: volatile.withFormerNames(renamedVolatile))
    }

    /// Adds to what a commit changes the rows that get their new names with it.
    ///
    /// - Parameters:
    ///   - differences: what the commit changes in memory, in order.
    ///   - before: the settings before the commit.
    /// - Returns: what it changes in the store, in order.
    mutating func persistRenames(
        with differences: [SettingDifference], since before: LayeredSettings
    ) -> [SettingDifference] {
        guard !differences.isEmpty, !before.renamed.isEmpty else { return differences }
        var moved: [SettingPath: SettingPath] = [:]
        // Those that the change itself touches cannot wait.
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

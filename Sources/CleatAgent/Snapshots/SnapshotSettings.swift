import CleatAPI
import CleatJSON
import CleatSettings
import CleatStore

/// Compares the settings of snapshots with each other and with the present ones.
///
/// It is a value of one state, so that thousands of settings can be compared on another thread.
struct SnapshotSettings: Sendable {
    /// The present settings.
    let settings: LayeredSettings
    /// True if the caller may read secrets.
    ///
    /// To others equal secrets are reported as changed: any user could import a snapshot with a guess.
    let isPrivileged: Bool

    /// Takes the present settings, for a caller.
    init(_ settings: LayeredSettings, for author: Author) {
        self.settings = settings
        isPrivileged = author.isPrivileged
    }

    /// Returns the changes of the committed settings that lead to those of a snapshot; settings that it omits stay.
    func changes(to content: SnapshotContent) -> [SettingDifference] {
        let omitted = omitted(in: content)
        return differences(from: settings.committed, to: tree(of: content)).filter { !omitted.contains($0.path) }
    }

    /// Returns the changes that lead from the settings of a snapshot to those of another one, besides those that one of
    /// them omits.
    func changes(from first: SnapshotContent, to second: SnapshotContent) -> [SettingDifference] {
        let omitted = omitted(in: first).union(omitted(in: second))
        return differences(from: tree(of: first), to: tree(of: second)).filter { !omitted.contains($0.path) }
    }

    /// Returns the settings of a snapshot, under the present names.
    func tree(of content: SnapshotContent) -> SettingsTree {
        settings.underPresentNames(
            SettingsTree(
                content.settings.compactMap { setting -> (SettingPath, JSONValue)? in
                    guard let path = try? SettingPath(setting.path), let value = setting.json else { return nil }
                    return (path, value)
                }))
    }

    /// Returns the settings that a snapshot omits, under the former and the present names.
    private func omitted(in content: SnapshotContent) -> Set<SettingPath> {
        let left = content.settings.filter { $0.value == nil }.compactMap { try? SettingPath($0.path) }
        return Set(left).union(left.compactMap { settings.schema.newName(of: $0) })
    }

    private func differences(from old: SettingsTree, to new: SettingsTree) -> [SettingDifference] {
        let differences = SettingsTree.differences(from: old, to: new)
        if isPrivileged { return differences }
        let same = new.rows(under: nil).filter { old[$0.path] == $0.value && settings.schema.hides($0.path) }
        guard !same.isEmpty else { return differences }
        return (differences + same.map { SettingDifference(path: $0.path, old: $0.value, new: $0.value) })
            .sortedByPath()
    }
}

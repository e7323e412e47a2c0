import CleatAPI
import CleatAdapters
import CleatIO
import CleatJSON
import CleatOrder
import CleatSandbox
import CleatSettings
import CleatStore

/// Compares snapshots with each other and with the present state.
struct SnapshotComparison: EnginePart {
    let live: LiveState

    /// Compares a snapshot with another one, or with the present state.
    ///
    /// Equal secrets are reported as changed to a user who may not read them: any user could import a snapshot with a
    /// guess.
    func differences(
        _ name: String, _ other: String?, for author: Author
    ) async throws -> SnapshotsInterface.Diff.Reply {
        do {
            let first = try await store.snapshotContent(name)
            guard let other else { return try await differencesFromNow(first, for: author) }
            let second = try await store.snapshotContent(other)
            let secret = omittedSettings(in: first).union(omittedSettings(in: second))
            let (changes, omitted) = [ChangeRecord].records(
                of: differences(from: tree(of: first), to: tree(of: second), for: author).filter {
                    !secret.contains($0.path)
                }, in: settings)
            return .init(
                changes: changes, omitted: omitted,
                resources: Self.differences(first.resources, second.resources, hiding: hidden(from: author)))
        } catch {
            throw APIError.snapshotFailure(error)
        }
    }

    private func differencesFromNow(
        _ content: SnapshotContent, for author: Author
    ) async throws -> SnapshotsInterface.Diff.Reply {
        let (changes, omitted) = [ChangeRecord].records(of: settingDifferences(to: content, for: author), in: settings)
        let managed = applier.adapters.managed(settings)
        let known = Set(content.resources.map(\.resource))
        var resources = try await differingResources(content, for: author)
        resources += managed.filter { !known.contains($0.resource.text) }.map {
            ResourceDifference(resource: $0.resource.text, kind: .added)
        }
        // From the snapshot to the present state: the opposite direction of a restore.
        return .init(
            changes: changes.map { ChangeRecord(path: $0.path, old: $0.new, new: $0.old) }, omitted: omitted,
            resources: resources.ordered { $0.resource.utf8.lexicographicallyPrecedes($1.resource.utf8) })
    }

    /// Returns the changes of the committed settings that lead to those of a snapshot; settings that it omits stay.
    func settingDifferences(to content: SnapshotContent, for author: Author) -> [SettingDifference] {
        let secret = omittedSettings(in: content)
        return differences(from: settings.committed, to: tree(of: content), for: author).filter {
            !secret.contains($0.path)
        }
    }

    private func differences(
        from old: SettingsTree, to new: SettingsTree, for author: Author
    ) -> [SettingDifference] {
        let differences = SettingsTree.differences(from: old, to: new)
        if author.isPrivileged { return differences }
        let same = new.rows(under: nil).filter { old[$0.path] == $0.value && settings.schema.hides($0.path) }
        guard !same.isEmpty else { return differences }
        return (differences + same.map { SettingDifference(path: $0.path, old: $0.value, new: $0.value) })
            .sortedByPath()
    }

    /// Returns the resources with secrets, whose differences must not be revealed to a user.
    private func hidden(from author: Author) -> Set<String> {
        if author.isPrivileged { return [] }
        let secret = applier.adapters.holdingSecrets(settings)
        return Set(
            applier.adapters.managed(settings).filter { secret.contains($0.adapter) }.map(\.resource.text))
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
    private func omittedSettings(in content: SnapshotContent) -> Set<SettingPath> {
        let left = content.settings.filter { $0.value == nil }.compactMap { try? SettingPath($0.path) }
        return Set(left).union(left.compactMap { settings.schema.newName(of: $0) })
    }

    /// Returns the resources of a snapshot that now differ from it.
    func differingResources(
        _ content: SnapshotContent, for author: Author
    ) async throws -> [ResourceDifference] {
        let hidden = hidden(from: author)
        let managed = Set(applier.adapters.managed(settings).map(\.resource))
        var differences: [ResourceDifference] = []
        for start in stride(from: 0, to: content.resources.count, by: SnapshotComparison.slice) {
            let items = content.resources[start..<min(start + SnapshotComparison.slice, content.resources.count)]
            let states = try await store.states(of: Array(items), in: content.snapshot.name)
            var mementos: [(item: SnapshotItem, memento: Memento?)] = []
            for (item, state) in zip(items, states) {
                mementos.append((item, try state.map { bytes throws(ResourceError) in try Memento(encoded: bytes) }))
            }
            let present = try await applier.look(
                at: mementos.compactMap { $0.memento }.map { ($0.resource, $0.adapter) })
            for (item, memento) in mementos {
                if hidden.contains(item.resource) {
                    differences.append(ResourceDifference(resource: item.resource, kind: .unknown))
                } else if let kind = Self.difference(memento, present, managed) {
                    differences.append(ResourceDifference(resource: item.resource, kind: kind))
                }
            }
        }
        return differences
    }

    private static func difference(
        _ memento: Memento?, _ present: [Resource: Memento], _ managed: Set<Resource>
    ) -> ResourceDifference.Kind? {
        guard let memento else { return .unknown }
        guard managed.contains(memento.resource) else { return .removed }
        guard let now = present[memento.resource] else { return .unknown }
        return now.isSame(as: memento) ? nil : .changed
    }

    private static func differences(
        _ first: [SnapshotItem], _ second: [SnapshotItem], hiding hidden: Set<String>
    ) -> [ResourceDifference] {
        let old = Dictionary(first.map { ($0.resource, $0.hash) }) { one, _ in one }
        let new = Dictionary(second.map { ($0.resource, $0.hash) }) { one, _ in one }
        var differences: [ResourceDifference] = []
        for resource in Set(old.keys).union(new.keys) {
            let kind: ResourceDifference.Kind
            switch (old[resource], new[resource]) {
            case _ where hidden.contains(resource): kind = .unknown
            case (nil, _): kind = .added
            case (_, nil): kind = .removed
            case (let old??, let new??):
                guard old != new else { continue }
                kind = .changed
            default: kind = .unknown
            }
            differences.append(ResourceDifference(resource: resource, kind: kind))
        }
        return differences.ordered { $0.resource.utf8.lexicographicallyPrecedes($1.resource.utf8) }
    }

    /// The maximum number of mementos that are in memory at a time.
    static let slice = 32
}

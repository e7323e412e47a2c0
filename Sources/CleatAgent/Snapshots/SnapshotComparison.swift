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
    func differences(
        _ name: String, _ other: String?, for author: Author
    ) async throws -> SnapshotsInterface.Diff.Reply {
        let (settings, comparing) = (settings, SnapshotSettings(settings, for: author))
        do {
            guard let other else { return try await differencesFromNow(name, comparing, for: author) }
            let (differences, first, second) = try await store.snapshotContents([name, other]) { contents in
                (
                    comparing.changes(from: contents[0], to: contents[1]), contents[0].resources,
                    contents[1].resources
                )
            }
            let (changes, omitted) = [ChangeRecord].records(of: differences, in: settings)
            return .init(
                changes: changes, omitted: omitted,
                resources: Self.differences(first, second, hiding: hidden(from: author)))
        } catch {
            throw APIError.snapshotFailure(error)
        }
    }

    private func differencesFromNow(
        _ name: String, _ comparing: SnapshotSettings, for author: Author
    ) async throws -> SnapshotsInterface.Diff.Reply {
        let compared = try await compare(name, with: comparing)
        let (changes, omitted) = [ChangeRecord].records(of: compared.changes, in: comparing.settings)
        let managed = applier.adapters.managed(settings)
        let known = Set(compared.content.resources.map(\.resource))
        var resources = try await differingResources(compared.content, for: author)
        resources += managed.filter { !known.contains($0.resource.text) }.map {
            ResourceDifference(resource: $0.resource.text, kind: .added)
        }
        // From the snapshot to the present state: the opposite direction of a restore.
        return .init(
            changes: changes.map { ChangeRecord(path: $0.path, old: $0.new, new: $0.old) }, omitted: omitted,
            resources: resources.ordered { $0.resource.utf8.lexicographicallyPrecedes($1.resource.utf8) })
    }

    /// A snapshot that was compared with the settings.
    struct Compared: Sendable {
        /// The snapshot with its resources, without the settings.
        let content: SnapshotContent
        /// The changes of the committed settings that lead to those of the snapshot.
        let changes: [SettingDifference]
        /// The number of settings that the snapshot omits.
        let omitted: Int
    }

    /// Compares the settings of a snapshot, on the store's thread, so that others are answered meanwhile.
    ///
    /// - Throws: `StoreError` if there is no such snapshot, or it cannot be read.
    func compare(_ name: String, with comparing: SnapshotSettings) async throws(StoreError) -> Compared {
        try await store.snapshotContents([name]) { contents in
            var content = contents[0]
            content.settings = []
            return Compared(
                content: content, changes: comparing.changes(to: contents[0]),
                omitted: contents[0].settings.count { $0.value == nil })
        }
    }

    /// Returns the resources with secrets, whose differences must not be revealed to a user.
    private func hidden(from author: Author) -> Set<String> {
        if author.isPrivileged { return [] }
        let secret = applier.adapters.holdingSecrets(settings)
        return Set(
            applier.adapters.managed(settings).filter { secret.contains($0.adapter) }.map(\.resource.text))
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

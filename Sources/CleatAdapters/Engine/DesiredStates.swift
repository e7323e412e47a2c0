internal import CleatSettings
internal import Synchronization

/// The desired states of adapters with the settings of the last calls, so that only those are computed again whose
/// settings differ.
///
/// A desired state is a function of the settings that its adapter follows. Settings share the runs of rows that do not
/// differ, so it costs little to find out what differs.
final class DesiredStates: Sendable {
    /// The number of settings that are remembered: those before and after a change, and those of a revert.
    private static let count = 3
    /// The most differences that are compared one by one.
    private static let differences = 4_096
    /// The largest state that is remembered, in bytes of the contents of its files.
    private static let bytes = 256 * 1_024

    /// A state with the resources that it wants, by the names that two adapters may not share.
    struct Known: Sendable {
        let state: DesiredState
        let resources: Set<Resource>

        init(_ state: DesiredState) {
            self.state = state
            resources = Set(state.wanted.map(\.resource.canonical))
        }
    }

    private struct Entry {
        let settings: LayeredSettings
        /// The states of adapters, by their names.
        var states: [String: Known] = [:]
        /// The states before the changes of adapters that follow them.
        var former: [String: Known] = [:]
        var changes: [SettingPath] = []
    }

    private let followers: FollowerIndex
    /// The newest settings come first.
    private let entries = Mutex<[Entry]>([])

    /// Creates an empty memory for adapters with these followed paths.
    init(_ followers: FollowerIndex) { self.followers = followers }

    /// Returns the desired state of an adapter.
    func known(of adapter: any Adapter, _ settings: LayeredSettings) -> Known {
        let (found, former, changes) = entries.withLock { entries in
            let index = entries.firstIndex { $0.settings.isIdentical(to: settings) } ?? add(settings, to: &entries)
            let entry = entries[index]
            return (entry.states[adapter.name], entry.former[adapter.name], entry.changes)
        }
        if let found { return found }
        let state =
            if let former, let adapter = adapter as? any IncrementalAdapter {
                adapter.desired(settings, from: former.state, changing: changes)
            } else {
                adapter.desired(settings)
            }
        let known = Known(state)
        guard state.bytes <= Self.bytes else { return known }
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.settings.isIdentical(to: settings) }) else { return }
            entries[index].states[adapter.name] = known
            entries[index].former[adapter.name] = nil
        }
        return known
    }

    /// Adds settings with the states that they share with the newest ones; returns their index.
    private func add(_ settings: LayeredSettings, to entries: inout [Entry]) -> Int {
        var entry = Entry(settings: settings)
        if let newest = entries.first,
            let changes = settings.changedPaths(since: newest.settings, limit: Self.differences)
        {
            let changed = followers.names(following: changes)
            entry.changes = changes
            for (name, known) in newest.states {
                if changed.contains(name) { entry.former[name] = known } else { entry.states[name] = known }
            }
        }
        entries.insert(entry, at: 0)
        if entries.count > Self.count { entries.removeLast() }
        return 0
    }
}

/// The adapters by the paths that they follow.
struct FollowerIndex: Sendable {
    /// The names of the adapters that follow a path and all below it.
    private var prefixes: [SettingPath: Set<String>] = [:]
    /// The names of the adapters that follow something below a path.
    private var above: [SettingPath: Set<String>] = [:]

    /// Creates an index of adapters.
    init(_ adapters: [any Adapter]) {
        for adapter in adapters {
            for prefix in adapter.prefixes {
                prefixes[prefix, default: []].insert(adapter.name)
                var place = prefix.parent
                while let path = place {
                    above[path, default: []].insert(adapter.name)
                    place = path.parent
                }
            }
        }
    }

    /// Returns the names of the adapters that follow one of some paths: settings at it, above it or below it.
    func names(following paths: [SettingPath]) -> Set<String> {
        var names: Set<String> = []
        for path in paths {
            if let below = above[path] { names.formUnion(below) }
            var place: SettingPath? = path
            while let prefix = place {
                if let own = prefixes[prefix] { names.formUnion(own) }
                place = prefix.parent
            }
        }
        return names
    }
}

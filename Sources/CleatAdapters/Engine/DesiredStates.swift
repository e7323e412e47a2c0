internal import CleatSettings
internal import Synchronization

/// The desired states of adapters with the settings of the last calls, so that only those are computed again whose
/// settings differ.
///
/// A desired state is a function of the settings that its adapter follows. Settings share the runs of rows that do not
/// differ, so it costs little to find out what differs.
final class DesiredStates: Sendable {
    /// The number of settings that are remembered: those before and after a change, and those without held interfaces.
    private static let count = 3
    /// The most differences that are compared one by one.
    private static let differences = 4_096
    /// The largest state that is remembered, in bytes of the contents of its files.
    private static let bytes = 256 * 1_024

    private struct Entry {
        var settings: LayeredSettings
        /// The states of adapters, by their names.
        var states: [String: DesiredState] = [:]
        /// The states before the changes of adapters that follow them.
        var former: [String: DesiredState] = [:]
        var changes: [SettingPath] = []
        /// True for each adapter that follows a secret setting, as far as it was asked for, by their names.
        var secrecy: [String: Bool] = [:]
    }

    private let followers: FollowerIndex
    /// The settings that were used last come first.
    private let entries = Mutex<[Entry]>([])

    /// Creates an empty memory for adapters with these followed paths.
    init(_ followers: FollowerIndex) { self.followers = followers }

    /// Returns the desired state of an adapter.
    func state(of adapter: any Adapter, _ settings: LayeredSettings) -> DesiredState {
        let (found, former, changes) = entries.withLock { entries in
            if let index = entries.firstIndex(where: { $0.settings.isIdentical(to: settings) }) {
                // Those that are used last are kept longest.
                entries.insert(entries.remove(at: index), at: 0)
            } else {
                add(settings, to: &entries)
            }
            let entry = entries[0]
            return (entry.states[adapter.name], entry.former[adapter.name], entry.changes)
        }
        if let found { return found }
        let state =
            if let former, let adapter = adapter as? any IncrementalAdapter {
                adapter.desired(settings, from: former, changing: changes)
            } else {
                adapter.desired(settings)
            }
        guard state.bytes <= Self.bytes else { return state }
        entries.withLock { entries in
            guard let index = entries.firstIndex(where: { $0.settings.isIdentical(to: settings) }) else { return }
            entries[index].states[adapter.name] = state
            entries[index].former[adapter.name] = nil
        }
        return state
    }

    /// Returns true if an adapter follows a secret setting; computes it if that is not known yet.
    func holdsSecrets(_ adapter: any Adapter, _ settings: LayeredSettings, compute: () -> Bool) -> Bool {
        func known(_ entries: [Entry]) -> Int? { entries.firstIndex { $0.settings.isIdentical(to: settings) } }
        let found = entries.withLock { entries in known(entries).flatMap { entries[$0].secrecy[adapter.name] } }
        if let found { return found }
        let isSecret = compute()
        entries.withLock { entries in
            if let index = known(entries) { entries[index].secrecy[adapter.name] = isSecret }
        }
        return isSecret
    }

    /// Forgets all states but those with some settings: a secret that was unset, or refused, does not stay in memory.
    ///
    /// Settings that no adapter was asked about, since none follows what has changed, have the states of the others.
    func forget(allBut settings: LayeredSettings) {
        entries.withLock { entries in
            if let newest = entries.first, !entries.contains(where: { $0.settings.isIdentical(to: settings) }) {
                let changes = settings.changedPaths(since: newest.settings, limit: Self.differences)
                if let changes, !changes.contains(where: followers.follows) {
                    entries[0].settings = settings
                } else {
                    add(settings, to: &entries)
                }
            }
            entries.removeAll { !$0.settings.isIdentical(to: settings) }
            for index in entries.indices { (entries[index].former, entries[index].changes) = ([:], []) }
        }
    }

    /// Adds settings in front, with the states that they share with the others.
    private func add(_ settings: LayeredSettings, to entries: inout [Entry]) {
        var entry = Entry(settings: settings)
        for (index, other) in entries.enumerated() {
            guard let changes = settings.changedPaths(since: other.settings, limit: Self.differences) else { continue }
            let changed = followers.names(following: changes)
            for (name, state) in other.states where !changed.contains(name) { entry.states[name] = state }
            for (name, isSecret) in other.secrecy where !changed.contains(name) { entry.secrecy[name] = isSecret }
            // The other ones follow from the states with the settings that were used last.
            if index == 0 { (entry.former, entry.changes) = (other.states, changes) }
        }
        entries.insert(entry, at: 0)
        if entries.count > Self.count { entries.removeLast() }
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

    /// Returns true if an adapter follows a setting at a path, above it or below it.
    func follows(_ path: SettingPath) -> Bool {
        if above[path] != nil { return true }
        var place: SettingPath? = path
        while let prefix = place {
            if prefixes[prefix] != nil { return true }
            place = prefix.parent
        }
        return false
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

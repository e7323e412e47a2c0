import CleatOrder
package import CleatSandbox
package import CleatSettings

/// All adapters in the order in which they are applied; computes the change of the system by a change of settings.
package struct AdapterSet: Sendable {
    /// The adapters, in the order in which they are applied.
    package let adapters: [any Adapter]
    /// The interfaces whose settings wait for a request (``Drift/Kind/held(former:)``); a change ignores those
    /// settings.
    package var heldInterfaces: Set<String> = []

    /// Creates a set of adapters with different names, in the order in which they are applied.
    package init(_ adapters: [any Adapter]) {
        let index = FollowerIndex(adapters)
        self.init(adapters, index, DesiredStates(index))
    }

    private init(_ adapters: [any Adapter], _ index: FollowerIndex, _ states: DesiredStates) {
        (self.adapters, self.index, self.states) = (adapters, index, states)
        partial = adapters.compactMap { $0 as? any PartialAdapter }
        restricted = adapters.compactMap { $0 as? any RestrictedAdapter }
        for adapter in adapters {
            let defaulting = adapter as? any DefaultingAdapter
            for prefix in adapter.prefixes { followers[prefix, default: []].append(defaulting) }
        }
    }

    /// The adapters by the settings that they follow, those of all sets that this one is a part of.
    private let index: FollowerIndex
    /// The states that were computed last, which a set and its parts share.
    private let states: DesiredStates

    /// Returns the adapters that follow some settings; all without them.
    func involved(in paths: [SettingPath]?) -> [any Adapter] {
        guard let paths else { return adapters }
        let names = index.names(following: paths)
        return adapters.filter { names.contains($0.name) }
    }

    private let partial: [any PartialAdapter]
    private let restricted: [any RestrictedAdapter]

    /// Returns true if a member of group `cleat` may change a setting, as far as an adapter follows it.
    package func admitsOperators(to path: SettingPath) -> Bool {
        restricted.allSatisfy { !$0.follows(path) || $0.isForOperators(path) }
    }

    /// Returns true if an adapter follows a setting at a path, above it or below it.
    package func follows(_ path: SettingPath) -> Bool { index.follows(path) }

    /// Returns the desired state of an adapter with some settings.
    package func desired(_ settings: LayeredSettings, of adapter: any Adapter) -> DesiredState {
        states.state(of: adapter, settings)
    }

    /// Ends a change: only the states with the settings in force are remembered.
    package func settle(on settings: LayeredSettings) { states.forget(allBut: settings) }

    /// The adapters that follow the settings at a path and below it; nil for one that uses no defaults.
    private var followers: [SettingPath: [(any DefaultingAdapter)?]] = [:]

    /// Returns true if the system uses the schema's default of an unset setting.
    ///
    /// That is so if no adapter follows the setting, or if one that follows it uses the default. Otherwise the setting
    /// is unmanaged, and so are those of Cleat's built-in schema, except `agent`, that nothing here follows.
    package func isDefaultInForce(at path: SettingPath, _ settings: LayeredSettings) -> Bool {
        var isFollowed = false
        var place: SettingPath? = path
        while let prefix = place {
            for adapter in followers[prefix] ?? [] {
                if adapter?.usesDefault(of: path, settings) == true { return true }
                isFollowed = true
            }
            place = prefix.parent
        }
        // The agent's own settings need no adapter.
        return !isFollowed && (path.begins(with: "agent") || Schema.builtIn.lookup(path) == nil)
    }

    /// Returns the settings that an adapter follows: without those of held interfaces.
    func followed(_ settings: LayeredSettings, by adapter: any Adapter) -> LayeredSettings {
        guard !heldInterfaces.isEmpty, adapter is any NetworkAdapter || adapter is SupplicantAdapter else {
            return settings
        }
        let paths = heldInterfaces.compactMap { try? InterfaceSettings.path.appending($0) }
        return settings.forgetting(paths.flatMap { settings.inForce(under: $0).map(\.path) })
    }

    /// The files and links that may be written.
    package var files: [ManagedFileDeclaration] { adapters.flatMap(\.files) }

    /// The prefix of an adapter's settings, to name in errors on resources that no setting wants any more.
    func prefix(of adapter: String) -> SettingPath? {
        self[adapter]?.prefixes.first ?? adapters.first?.prefixes.first
    }

    /// Returns the adapter of a name; nil if there is none.
    package subscript(name: String) -> (any Adapter)? { adapters.first { $0.name == name } }

    /// Returns the resources that are wanted with some settings, and their adapters, in the order in which they are
    /// applied.
    package func managed(_ settings: LayeredSettings) -> [(resource: Resource, adapter: String)] {
        let states = adapters.map { desired(settings, of: $0) }
        // Hardly ever do two adapters want the same resource: then nothing is looked up for each one.
        var shared: Set<Resource> = []
        for (index, state) in states.enumerated() {
            for other in states[..<index] { shared.formUnion(state.shared(with: other)) }
        }
        var seen: Set<Resource> = []
        return zip(adapters, states).flatMap { adapter, state in
            // The state of an interface that a service configures follows from the service's file.
            state.wanted.filter { $0.state != .kept || !$0.resource.isInterface }
                .map { (resource: $0.resource, adapter: adapter.name) }
        }.filter { shared.isEmpty || seen.insert($0.resource).inserted }
    }

    /// Returns the desired state of each resource with some settings; if two adapters want the same one, the first
    /// counts.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - isForeign: true for settings of a snapshot, which share nothing with those in force and are not remembered.
    /// - Returns: the states.
    package func wanted(_ settings: LayeredSettings, isForeign: Bool = false) -> [Resource: ResourceState] {
        Dictionary(
            adapters.flatMap {
                (isForeign ? $0.desired(settings) : desired(settings, of: $0)).wanted.map { ($0.resource, $0.state) }
            },
            uniquingKeysWith: { one, _ in one })
    }

    /// Returns the adapters whose resources may hold a secret: those that follow a secret setting.
    package func holdingSecrets(_ settings: LayeredSettings) -> Set<String> {
        Set(
            adapters.filter { adapter in
                states.holdsSecrets(adapter, settings) {
                    adapter.prefixes.contains { prefix in
                        if let node = settings.schema.lookup(prefix), !node.isInterior, !node.types.isEmpty {
                            return node.isSecret
                        }
                        return settings.schema.hides(prefix)
                            || settings.list(under: prefix).contains(where: \.isSecret)
                    }
                }
            }.map(\.name))
    }

    /// Returns the reason why one of Cleat's own settings is not supported; nil if it is, or belongs to an application.
    package func reasonNotToFollow(_ path: SettingPath) -> String? {
        if path.segments.count > 3, InterfaceSettings.path.isPrefix(of: path), heldInterfaces.contains(path.segments[2])
        {
            return
                "is pending with the other settings of \(path.segments[2]), made for another network service; see 'cleat "
                + "drift', and apply those first with 'cleat reapply', or unset them"
        }
        for adapter in partial where adapter.follows(path) {
            if let reason = adapter.reasonNotToFollow(path) { return reason }
        }
        return nil
    }

    /// Returns the stored settings that are not supported, and the reasons.
    package func unfollowed(_ settings: LayeredSettings) -> [(path: SettingPath, reason: String)] {
        var found: [SettingPath: String] = [:]
        for adapter in partial {
            for layer in [ResolvedSetting.Origin.committed, .volatile] {
                for row in adapter.prefixes.flatMap({ settings[layer].rows(under: $0) }) {
                    found[row.path] = adapter.reasonNotToFollow(row.path)
                }
            }
        }
        return found.ordered { $0.key < $1.key }.map { (path: $0.key, reason: $0.value) }
    }

    /// Captures, applies and restores changes by these adapters.
    package var applier: ChangeApplier { ChangeApplier(adapters: self) }
}

extension AdapterSet {
    /// The adapters by the time that their work takes.
    package enum Scope: Equatable, Sendable {
        /// All adapters.
        case all
        /// All but those of programs, which may take long.
        case withoutPrograms
        /// Only those of programs: these, or all of them.
        case programs(only: Set<Resource>?)

        /// Returns true if the resource belongs to one of the adapters.
        package func includes(_ resource: Resource) -> Bool {
            switch self {
            case .all: true
            case .withoutPrograms: !resource.isProgram
            case .programs(let only): resource.isProgram && only?.contains(resource) ?? true
            }
        }
    }

    /// Returns only the adapters of a scope.
    package func only(_ scope: Scope) -> AdapterSet {
        if scope == .all { return self }
        let part = adapters.filter { adapter in
            guard let program = adapter as? ProgramAdapter else { return scope == .withoutPrograms }
            return scope.includes(program.resource)
        }
        var set = AdapterSet(part, index, states)
        set.heldInterfaces = heldInterfaces
        return set
    }

    /// The programs of the adapters, by their names.
    package var programs: [String: any AdapterProgram] {
        Dictionary(adapters.compactMap { $0 as? ProgramAdapter }.map { ($0.programName, $0.program) }) { first, _ in
            first
        }
    }
}

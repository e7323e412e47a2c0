internal import CleatIO
package import CleatSettings

extension AdapterSet {
    /// The adapter of the service that runs the network; nil if none is known.
    package var networkAdapter: (any NetworkAdapter)? { adapters.lazy.compactMap { $0 as? any NetworkAdapter }.first }

    /// True if Cleat itself configures interfaces, and so must handle those that appear later.
    package var configuresInterfaces: Bool { adapters.contains { $0 is InterfacesAdapter } }

    /// Returns true if an interface has settings, or is a member of a virtual link.
    package func isSet(interface name: String, _ settings: LayeredSettings) -> Bool {
        InterfaceSettings.all(in: settings).contains { $0.name == name }
    }

    /// Returns the interfaces that the settings configure, but that do not exist.
    ///
    /// - Throws: the reason why an interface could not be read.
    package func missingInterfaces(
        _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> Set<String> {
        guard configuresInterfaces, system.isRunning else { return [] }
        var missing: Set<String> = []
        for wanted in InterfacesAdapter().desired(settings).wanted {
            guard case .interface(let name) = wanted.resource else { continue }
            if try system.interface(name) == nil { missing.insert(name) }
        }
        return missing
    }

    /// Returns the change for an interface that has just appeared without its settings.
    ///
    /// - Returns: the change, which is empty if nothing is wanted of the interface; and the reasons why its settings
    ///   cannot be applied, in which case the change is empty, too.
    package func arrival(
        of name: String, _ settings: LayeredSettings
    ) -> (change: SystemChange, problems: [SettingProblem]) {
        for adapter in adapters where adapter is InterfacesAdapter {
            let desired = desired(settings, of: adapter)
            // A virtual link of which it is a member is made, or gets its port, now.
            let owners = InterfaceSettings.all(in: settings).filter { $0.link?.members.contains(name) == true }
            let resources = owners.map { Resource.virtualLink($0.name) } + [.interface(name)]
            let wanted = desired.wanted.filter { resources.contains($0.resource) }
            let problems = desired.problems.filter { problem in
                wanted.contains { $0.path.parent == problem.path.parent }
            }
            guard problems.isEmpty, !wanted.isEmpty else { return (SystemChange(), problems) }
            let steps = wanted.map {
                SystemChange.Step(resource: $0.resource, before: nil, after: $0.state, path: $0.path)
            }
            let part = SystemChange.Part(
                adapter: adapter.name, steps: steps,
                actions: adapter.actions(from: nil, to: settings, changed: Set(steps.map(\.resource))),
                timeLimit: adapter.timeLimit)
            return (SystemChange(part), [])
        }
        return (SystemChange(), [])
    }

    /// Returns the difference between an interface that Cleat does not configure and the configuration of another
    /// program for it, so that it can be adopted.
    ///
    /// - Parameters:
    ///   - name: the interface's name.
    ///   - system: the system, which is only read.
    /// - Returns: the difference; nil if Cleat configures the interface, or no other program is known to.
    /// - Throws: the reason why that configuration could not be read.
    package func foreign(_ name: String, on system: SystemResources) throws(ResourceError) -> Drift? {
        for case let adapter as any NetworkAdapter in adapters {
            guard let differences = try adapter.foreign(name, on: system) else { continue }
            return Drift(
                resource: .interface(name), kind: .differs(differences), adapter: adapter.name,
                setting: differences.first?.setting)
        }
        return nil
    }

    /// One interface, and the program and file that configure it.
    package struct LinkSource: Sendable {
        /// The interface's name.
        package let name: String
        /// True if settings configure it.
        package let isSet: Bool
        /// The file or profile; nil if there is none.
        package let source: String?
    }

    /// Returns the interfaces of the system, and those that settings name, with the files that configure them.
    ///
    /// - Throws: the reason why they could not be read.
    package func linkSources(
        _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [LinkSource] {
        let adapter = networkAdapter
        let own = adapter?.configured(settings) ?? []
        let names = Set(try system.names(ofClass: "net") + InterfaceSettings.all(in: settings).map(\.name))
        var sources: [LinkSource] = []
        for name in Array(names).sortedByBytes() where name != "lo" {
            let isSet =
                InterfaceSettings.isSet(name, settings) || own.contains { $0.name == name }
                || configuresInterfaces && isSet(interface: name, settings)
            let source: String?
            do throws(ResourceError) {
                source =
                    isSet
                    ? own.first { $0.name == name && $0.client == nil }?.files.compactMap(\.path).joined(
                        separator: ", ")
                    : try adapter?.others(of: name, on: system)
            } catch {
                source = "could not be read: \(error.reason)"
            }
            sources.append(LinkSource(name: name, isSet: isSet, source: source))
        }
        return sources
    }

    /// Returns a change as it is applied on trial: interfaces whose addresses change keep their present ones, too.
    ///
    /// - Parameters:
    ///   - change: the change of the system.
    ///   - before: the settings that the system follows now.
    ///   - after: the settings with the change.
    ///   - system: the system, which is only read; under a root directory no client is connected to it, and nothing is
    ///     kept.
    /// - Returns: the change with the kept addresses.
    /// - Throws: the reason why an interface could not be read.
    package func onTrial(
        _ change: SystemChange, from before: LayeredSettings, to after: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> SystemChange {
        guard system.isRunning else { return change }
        var parts: [SystemChange.Part] = []
        for part in change.parts {
            var kept: KeptAddresses = [:]
            let adapter = self[part.adapter] as? any NetworkAdapter
            for name in adapter == nil ? [] : InterfaceSettings.readdressed(from: before, to: after) {
                kept[name] = try system.interface(name)?.addresses.compactMap(\.address)
            }
            guard let adapter, !kept.isEmpty else {
                parts.append(part)
                continue
            }
            let desired = adapter.desired(followed(after, by: adapter), keeping: kept)
            let steps = part.steps.map { step in
                SystemChange.Step(
                    resource: step.resource, before: step.before,
                    after: step.after == nil ? nil : desired[step.resource] ?? step.after, path: step.path)
            }
            parts.append(
                SystemChange.Part(
                    adapter: part.adapter, steps: steps, actions: part.actions,
                    timeLimit: part.timeLimit))
        }
        var kept = SystemChange(parts: parts, notes: change.notes, involved: change.involved)
        kept.contents = change.contents
        return kept
    }

    /// Returns the change before a change on trial is confirmed: it removes the kept addresses.
    ///
    /// It may be repeated, also after a restart of the service: resources in the desired state are not touched.
    ///
    /// - Parameters:
    ///   - before: the settings before the change.
    ///   - after: the settings with it.
    ///   - paths: the settings that differ.
    ///   - system: the system, which is only read.
    /// - Returns: the change; empty if nothing was kept.
    /// - Throws: the reason why a file could not be read.
    package func confirming(
        from before: LayeredSettings, to after: LayeredSettings, at paths: [SettingPath], on system: SystemResources
    ) throws(ResourceError) -> SystemChange {
        guard system.isRunning else { return SystemChange() }
        var parts: [SystemChange.Part] = []
        for part in change(from: before, to: after, at: paths).parts {
            guard let adapter = self[part.adapter] as? any NetworkAdapter,
                !InterfaceSettings.readdressed(from: before, to: after).isEmpty
            else { continue }
            var steps: [SystemChange.Step] = []
            for step in part.steps {
                if case .file(let file) = step.after, let path = step.resource.path {
                    if try system.text(of: path) == String(decoding: file.bytes, as: UTF8.self) { continue }
                } else if step.after == nil || step.after == .kept || step.resource.isPartOfFile {
                    continue
                }
                steps.append(
                    SystemChange.Step(
                        resource: step.resource, before: step.after, after: step.after, path: step.path))
            }
            let target = followed(after, by: adapter)
            // A confirmation that was interrupted is checked again.
            let actions =
                steps.isEmpty
                ? adapter.actions(from: target, to: target, changed: Set(part.steps.map(\.resource))).filter(\.isCheck)
                : adapter.actions(from: target, to: target, changed: Set(steps.map(\.resource)))
            guard !steps.isEmpty || !actions.isEmpty else { continue }
            parts.append(
                SystemChange.Part(
                    adapter: part.adapter, steps: steps, actions: actions, timeLimit: part.timeLimit))
        }
        return SystemChange(parts: parts, notes: [])
    }

    /// Returns true if a resource waits for a request, since another service ran the network when its settings were
    /// made.
    package func isHeld(_ resource: Resource, _ settings: LayeredSettings, _ known: [Resource: KnownResource]) -> Bool {
        formerNetwork(settings, known)?.held.contains(resource) ?? false
    }

    /// Returns the configuration by a former service; nil if there is none.
    func formerNetwork(_ settings: LayeredSettings, _ known: [Resource: KnownResource]) -> FormerNetwork? {
        let all: [any NetworkAdapter] = [
            NetworkdAdapter(), NetworkManagerAdapter(), IfupdownAdapter(), InterfacesAdapter(),
        ]
        var (configured, held): ([DesiredState.Wanted], [DesiredState.Wanted]) = ([], [])
        // Without NetworkManager, wpa_supplicant joins the Wi-Fi networks.
        for adapter in adapters where adapter is any NetworkAdapter || adapter is SupplicantAdapter {
            for wanted in desired(settings, of: adapter).wanted where wanted.state != .kept {
                if known[wanted.resource]?.adapter != adapter.name {
                    held.append(wanted)
                } else if adapter is any NetworkAdapter {
                    configured.append(wanted)
                }
            }
        }
        // The origin of an interface is kept when another service configures it.
        let taken = Set(configured.compactMap { $0.path.parent.map { Resource.interface($0.name) } })
        let names = Set(known.filter { !taken.contains($0.key) }.values.map(\.adapter))
            .intersection(all.map(\.name) + [SupplicantAdapter.ownName]).subtracting(self.adapters.map(\.name))
        guard let name = names.min() else { return nil }
        return FormerNetwork(
            name: name, adapters: names, held: Set(held.map(\.resource)),
            heldInterfaces: Set(held.compactMap { $0.path.parent?.name }),
            isUnfollowed: networkAdapter == nil && !InterfaceSettings.all(in: settings).isEmpty)
    }
}

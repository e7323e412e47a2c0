package import CleatSettings

/// The configuration of interfaces by a network service that no longer runs the network.
///
/// If the network service of a board was replaced, applying the former settings with the new service would be untested.
/// Such settings wait until a user requests them.
struct FormerNetwork {
    /// The adapter of the former service.
    let name: String
    /// The adapters of all services that configured interfaces before, and do not run the network now.
    let adapters: Set<String>
    /// The resources that were never applied with the present service.
    let held: Set<Resource>
    /// The interfaces of those resources.
    let heldInterfaces: Set<String>
    /// True if there are settings that no present adapter follows.
    let isUnfollowed: Bool

    /// Returns true if the files of the former service are kept, since settings still wait for a request.
    func stays(_ occasion: Reconciliation.Occasion) -> Bool {
        isUnfollowed || held.contains { !occasion.repairs($0) }
    }
}

extension AdapterSet {
    /// Returns the configuration by a former service; nil if there is none.
    func formerNetwork(_ settings: LayeredSettings, _ known: [Resource: KnownResource]) -> FormerNetwork? {
        let all: [any InterfaceConfiguring] = [NetworkdAdapter(), IfupdownAdapter(), InterfacesAdapter()]
        let present = adapters.lazy.compactMap { $0 as? any InterfaceConfiguring }.first
        let wanted = present?.desired(settings).wanted.filter { $0.state != .kept } ?? []
        let (told, held) = (
            wanted.filter { known[$0.resource]?.adapter == present?.name },
            wanted.filter { known[$0.resource]?.adapter != present?.name }
        )
        // The origin of an interface is kept when another service configures it.
        let taken = Set(told.compactMap { $0.path.parent.map { Resource.interface($0.name) } })
        let names = Set(known.filter { !taken.contains($0.key) }.values.map(\.adapter))
            .intersection(all.map(\.name)).subtracting([present?.name ?? ""])
        guard let name = names.min() else { return nil }
        return FormerNetwork(
            name: name, adapters: names, held: Set(held.map(\.resource)),
            heldInterfaces: Set(held.compactMap { $0.path.parent?.name }),
            isUnfollowed: present == nil && !InterfaceSettings.all(in: settings).isEmpty)
    }
}

extension AdapterSet {
    /// Returns true if a resource waits for a request, since another service ran the network when its settings were
    /// made.
    package func isHeld(_ resource: Resource, _ settings: LayeredSettings, _ known: [Resource: KnownResource]) -> Bool {
        formerNetwork(settings, known)?.held.contains(resource) ?? false
    }
}

extension Reconciliation.Occasion {
    /// Returns true if a repair of this resource was requested.
    func repairs(_ resource: Resource) -> Bool {
        if case .repair(let chosen) = self { chosen.contains(resource) } else { false }
    }
}

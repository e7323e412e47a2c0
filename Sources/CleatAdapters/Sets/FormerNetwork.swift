package import CleatSettings

/// What another service has configured of the interfaces than the one that runs the network now.
///
/// A board whose network service was changed would come up with the settings of the former one, by a way that nobody has
/// tried: what only the new one could make follow waits until somebody asks for it.
struct FormerNetwork {
    /// The adapter of that service.
    let name: String
    /// The adapters of all services that have configured something before and do not run the network now.
    let adapters: Set<String>
    /// The resources that the present service was never told.
    let held: Set<Resource>
    /// The interfaces that it was never told of.
    let heldInterfaces: Set<String>
    /// Whether settings are there that nothing follows now.
    let isUnfollowed: Bool

    /// Whether what the former service reads stays: something waits for being asked for.
    func stays(_ occasion: Reconciliation.Occasion) -> Bool {
        isUnfollowed || held.contains { !occasion.repairs($0) }
    }
}

extension AdapterSet {
    /// Says what another service has configured before; nil where none has.
    func formerNetwork(_ settings: LayeredSettings, _ known: [Resource: KnownResource]) -> FormerNetwork? {
        let all: [any InterfaceConfiguring] = [NetworkdAdapter(), IfupdownAdapter(), InterfacesAdapter()]
        let present = adapters.lazy.compactMap { $0 as? any InterfaceConfiguring }.first
        let wanted = present?.desired(settings).wanted.filter { $0.state != .kept } ?? []
        let (told, held) = (
            wanted.filter { known[$0.resource]?.adapter == present?.name },
            wanted.filter { known[$0.resource]?.adapter != present?.name }
        )
        // What an interface was before any of them is kept when another service is told of it.
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
    /// Whether a resource waits until somebody asks for it, since another service ran the network when its settings were
    /// made.
    package func isHeld(_ resource: Resource, _ settings: LayeredSettings, _ known: [Resource: KnownResource]) -> Bool {
        formerNetwork(settings, known)?.held.contains(resource) ?? false
    }
}

extension Reconciliation.Occasion {
    /// Whether somebody has asked for this resource.
    func repairs(_ resource: Resource) -> Bool {
        if case .repair(let chosen) = self { chosen.contains(resource) } else { false }
    }
}

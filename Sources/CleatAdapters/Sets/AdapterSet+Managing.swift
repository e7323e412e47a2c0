package import CleatSettings

extension AdapterSet {
    /// Returns the resources that are wanted with some settings, and their adapters, in the order in which they are
    /// applied.
    package func managed(_ settings: LayeredSettings) -> [(resource: Resource, adapter: String)] {
        var seen: Set<Resource> = []
        return adapters.flatMap { adapter in
            // The state of an interface that a service configures follows from the service's file.
            adapter.desired(settings).wanted.filter { $0.state != .kept || !$0.resource.isInterface }
                .map { (resource: $0.resource, adapter: adapter.name) }
        }.filter { seen.insert($0.resource).inserted }
    }

    /// Returns the desired state of each resource with some settings; if two adapters want the same one, the first
    /// counts.
    package func wanted(_ settings: LayeredSettings) -> [Resource: ResourceState] {
        Dictionary(
            adapters.flatMap { $0.desired(settings).wanted.map { ($0.resource, $0.state) } },
            uniquingKeysWith: { one, _ in one })
    }

    /// Returns the adapters whose resources may hold a secret: those that follow a secret setting.
    package func holdingSecrets(_ settings: LayeredSettings) -> Set<String> {
        Set(
            adapters.filter { adapter in
                adapter.prefixes.contains { prefix in
                    settings.schema.hides(prefix) || settings.list(under: prefix).contains(where: \.isSecret)
                }
            }.map(\.name))
    }
}

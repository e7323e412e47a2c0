package import CleatSettings

extension AdapterSet {
    /// The resources that are wanted with some settings, and the adapters that want them, in the order in which they are
    /// applied.
    package func managed(_ settings: LayeredSettings) -> [(resource: Resource, adapter: String)] {
        var seen: Set<Resource> = []
        return adapters.flatMap { adapter in
            // What an interface is that a service configures follows from its file.
            adapter.desired(settings).wanted.filter { $0.state != .kept || !$0.resource.isInterface }
                .map { (resource: $0.resource, adapter: adapter.name) }
        }.filter { seen.insert($0.resource).inserted }
    }

    /// What each resource shall be with some settings; of two adapters that want the same one, the first one counts.
    package func wanted(_ settings: LayeredSettings) -> [Resource: ResourceState] {
        Dictionary(
            adapters.flatMap { $0.desired(settings).wanted.map { ($0.resource, $0.state) } },
            uniquingKeysWith: { one, _ in one })
    }

    /// The adapters whose resources may hold a secret: they follow a setting that must not be shown.
    package func holdingSecrets(_ settings: LayeredSettings) -> Set<String> {
        Set(
            adapters.filter { adapter in
                adapter.prefixes.contains { prefix in
                    settings.schema.hides(prefix) || settings.list(under: prefix).contains(where: \.isSecret)
                }
            }.map(\.name))
    }
}

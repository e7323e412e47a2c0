package import CleatSandbox

extension AdapterSet {
    /// Returns the adapters for Cleat's own settings, followed by those that schema files declare.
    ///
    /// - Parameters:
    ///   - facts: the facts about the system.
    ///   - more: the adapters of schema files.
    /// - Returns: all adapters, in the order in which they are applied.
    package static func builtIn(_ facts: SystemFacts, and more: [any Adapter] = []) -> AdapterSet {
        let timeZone: (any Adapter)? = UnknownAdapter(
            UnknownAdapter.timeZone, [TimeZoneAdapter.path], facts, files: TimeZoneAdapter(facts).files)
        let timeServers: (any Adapter)? = UnknownAdapter(
            UnknownAdapter.timeServers, [TimeServersAdapter.path], facts, files: TimeServersAdapter.allFiles)
        return AdapterSet(
            [
                DocumentsAdapter(), HostNameAdapter(), timeZone ?? TimeZoneAdapter(facts),
                timeServers ?? TimeServersAdapter(facts), SysctlAdapter(), KernelAttributesAdapter(), LEDAdapter(),
                RegulatoryAdapter(),
            ] + network(facts) + more)
    }

    /// Returns the adapters for the settings of interfaces.
    private static func network(_ facts: SystemFacts) -> [any Adapter] {
        let wireless = SupplicantAdapter(unit: facts.supplicantUnit)
        let files =
            NetworkdAdapter().files + NetworkManagerAdapter().files + IfupdownAdapter().files + wireless.files
        if let unknown = UnknownAdapter(UnknownAdapter.network, [InterfaceSettings.path], facts, files: files) {
            return [unknown]
        }
        // Where no resolvconf makes the resolver's file, Cleat writes it itself.
        let resolver = facts.resolverFile.map { ResolverAdapter($0, hasClients: facts.networkService == .ifupdown) }
        let own: [any Adapter] = resolver.map { [$0] } ?? []
        return switch facts.networkService {
        case .kernel: [wireless, InterfacesAdapter()] + own
        case .networkd: [wireless, NetworkdAdapter()]
        case .ifupdown: [wireless, IfupdownAdapter()] + own
        case .networkManager: [NetworkManagerAdapter()]
        case nil: []
        }
    }

    /// The files of the built-in adapters.
    package var builtIn: [ManagedFileDeclaration] {
        adapters.filter { !($0 is TemplateAdapter) }.flatMap(\.files)
    }
}

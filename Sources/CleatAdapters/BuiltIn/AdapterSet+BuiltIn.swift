extension AdapterSet {
    /// The adapters for Cleat's own settings, and behind them those that schema files declare.
    ///
    /// - Parameters:
    ///   - facts: what the system has.
    ///   - more: adapters of schema files.
    /// - Returns: all of them, in the order in which they are applied.
    package static func builtIn(_ facts: SystemFacts, and more: [any Adapter] = []) -> AdapterSet {
        AdapterSet(
            [
                DocumentsAdapter(), HostNameAdapter(), TimeZoneAdapter(facts), TimeServersAdapter(facts),
                SysctlAdapter(),
                KernelAttributesAdapter(), LEDAdapter(),
            ] + network(facts) + more)
    }

    /// What follows the settings of interfaces.
    private static func network(_ facts: SystemFacts) -> [any Adapter] {
        switch facts.networkService {
        case .kernel: [InterfacesAdapter()]
        case .networkd: [NetworkdAdapter()]
        case .ifupdown: [IfupdownAdapter()]
        case .networkManager, nil: []
        }
    }
}

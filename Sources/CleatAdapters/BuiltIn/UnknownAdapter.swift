internal import CleatSandbox
internal import CleatSettings

/// Stands in the place of an adapter of which it could not be found out what there is to follow its settings: they are
/// refused, and nothing that it once wrote is touched.
struct UnknownAdapter: Adapter {
    /// The name of what follows the time zone.
    static let timeZone = "time-zone"
    /// The name of what follows the time servers.
    static let timeServers = "time-servers"
    /// The name of what would have charge of interfaces.
    static let network = "network"

    let name: String
    let prefixes: [SettingPath]
    /// What may have been written before, and may have to come back.
    let files: [ManagedFileDeclaration]
    private let failure: ResourceError

    /// Takes the name and the settings of the adapter; nil where what it goes by is known.
    init?(_ name: String, _ prefixes: [SettingPath], _ facts: SystemFacts, files: [ManagedFileDeclaration]) {
        guard let failure = facts.failures[name] else { return nil }
        self.name = name
        self.prefixes = prefixes
        self.files = files
        self.failure = failure
    }

    /// Wants nothing, and refuses what is set.
    func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        for setting in prefixes.flatMap({ settings.inForce(under: $0) }) {
            desired.refuse(
                setting.path,
                "cannot be followed: what there is to follow it could not be found out when the service started "
                    + "(\(failure.reason)); see to \(failure.resource?.description ?? "the system"), and start it anew")
        }
        return desired
    }
}

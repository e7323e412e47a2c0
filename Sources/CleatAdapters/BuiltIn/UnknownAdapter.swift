internal import CleatSandbox
internal import CleatSettings

/// Replaces an adapter whose facts about the system could not be read.
///
/// It refuses the adapter's settings, and changes nothing that the adapter wrote before.
struct UnknownAdapter: Adapter {
    /// The name of the adapter for the time zone.
    static let timeZone = "time-zone"
    /// The name of the adapter for the time servers.
    static let timeServers = "time-servers"
    /// The name of the adapters for interfaces.
    static let network = "network"

    let name: String
    let prefixes: [SettingPath]
    /// The files that may have been written before, and may have to be restored.
    let files: [ManagedFileDeclaration]
    private let failure: ResourceError

    /// Creates the adapter in place of another one; nil if that one's facts are known.
    init?(_ name: String, _ prefixes: [SettingPath], _ facts: SystemFacts, files: [ManagedFileDeclaration]) {
        guard let failure = facts.failures[name] else { return nil }
        self.name = name
        self.prefixes = prefixes
        self.files = files
        self.failure = failure
    }

    /// Wants nothing, and refuses each setting.
    func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        for setting in prefixes.flatMap({ settings.inForce(under: $0) }) {
            desired.refuse(
                setting.path,
                "cannot be applied: the programs that apply it could not be determined "
                    + "(\(failure.reason)); correct \(failure.resource?.description ?? "the system"), and try again")
        }
        return desired
    }
}

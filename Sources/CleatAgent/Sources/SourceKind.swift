import SystemPackage

/// A kind of file in which the vendor and the administrator say something about the settings.
enum SourceKind: Sendable, CaseIterable {
    /// What the paths may hold, as JSON Schema.
    case schema
    /// Defaults of the vendor, which programs and boards bring.
    case defaults
    /// What is pinned to a layer.
    case locks

    /// The name of its directories.
    var directory: FilePath.Component {
        switch self {
        case .schema: "schema.d"
        case .defaults: "defaults.d"
        case .locks: "locks.d"
        }
    }

    /// How the names of its files end.
    var suffix: String {
        switch self {
        case .schema: ".json"
        case .defaults, .locks: ".json5"
        }
    }

    /// What its files are, in the plural.
    var words: String {
        switch self {
        case .schema: "schemas"
        case .defaults: "defaults"
        case .locks: "locks"
        }
    }
}

import SystemPackage

/// A kind of file by which the vendor and the administrator configure the settings.
enum SourceKind: Sendable, CaseIterable {
    /// The values that the paths may have, as JSON Schema.
    case schema
    /// Defaults of the vendor, which come with programs and boards.
    case defaults
    /// The paths that are pinned to a layer.
    case locks

    /// The name of its directories.
    var directory: FilePath.Component {
        switch self {
        case .schema: "schema.d"
        case .defaults: "defaults.d"
        case .locks: "locks.d"
        }
    }

    /// The suffix of the names of its files.
    var suffix: String {
        switch self {
        case .schema: ".json"
        case .defaults, .locks: ".json5"
        }
    }

    /// The plural name of its files, for messages.
    var words: String {
        switch self {
        case .schema: "schemas"
        case .defaults: "defaults"
        case .locks: "locks"
        }
    }
}

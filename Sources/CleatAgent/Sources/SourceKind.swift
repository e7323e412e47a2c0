import CleatJSON
import SystemPackage

/// A kind of file by which the vendor and the administrator configure the settings.
enum SourceKind: Sendable, CaseIterable {
    /// The values that the paths may have, as JSON Schema.
    case schema
    /// Defaults of the vendor, which come with programs and boards.
    case defaults
    /// The paths that are pinned to a layer.
    case locks
    /// The programs that take part in changes.
    case adapters

    /// The name of its directories.
    var directory: FilePath.Component {
        switch self {
        case .schema: "schema.d"
        case .defaults: "defaults.d"
        case .locks: "locks.d"
        case .adapters: "adapters.d"
        }
    }

    /// The suffix of the names of its files.
    var suffix: String {
        switch self {
        case .schema: ".json"
        case .defaults, .locks, .adapters: ".json5"
        }
    }

    /// The plural name of its files, for messages.
    var words: String {
        switch self {
        case .schema: "schemas"
        case .defaults: "defaults"
        case .locks: "locks"
        case .adapters: "adapters"
        }
    }
}

/// Limits for the board's files.
enum SourceLimits {
    /// The maximum size of one file in bytes.
    static let fileBytes = 1 << 20
    /// The maximum number of files of one kind in one directory.
    static let files = 1_024
    /// The maximum size of all files of one kind in bytes.
    static let allFilesBytes = 16 << 20
    /// The maximum size of all names in one directory in bytes.
    static let directoryBytes = 512 << 10
    /// The maximum number of findings about one file.
    static let findingsPerFile = 16
    /// The maximum number of findings about all files.
    static let findings = 512
    /// The maximum number of refused values of one file whose positions are searched.
    static let placesPerFile = 64
    /// The maximum number of locks in one file.
    static let locks = 1_024
    /// The maximum size of a lock's reason in bytes.
    static let reasonBytes = 512
    /// The limits for a file of values.
    static let values = JSONLimits(values: 1 << 17)
}

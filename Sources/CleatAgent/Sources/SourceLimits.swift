import CleatJSON

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

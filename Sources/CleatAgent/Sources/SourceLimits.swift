import CleatJSON

/// Bounds what the board's files may say about its settings.
enum SourceLimits {
    /// The most bytes of one file.
    static let fileBytes = 1 << 20
    /// The most files of one kind in one directory.
    static let files = 1_024
    /// The most bytes of all files of one kind.
    static let allFilesBytes = 16 << 20
    /// The most bytes that all names in one directory may have.
    static let directoryBytes = 512 << 10
    /// The most findings about one file.
    static let findingsPerFile = 16
    /// The most findings about all files.
    static let findings = 512
    /// The most refused values of one file whose places are looked for.
    static let placesPerFile = 64
    /// The most locks of one file.
    static let locks = 1_024
    /// The most bytes of a lock's reason.
    static let reasonBytes = 512
    /// What is read of a file of values.
    static let values = JSONLimits(values: 1 << 17)
}

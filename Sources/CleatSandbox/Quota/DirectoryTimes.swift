/// Remembers when directories were last changed by the facade, so that it is seen when others change them.
struct DirectoryTimes: Sendable {
    private var times: [FileIdentity: FileTime] = [:]

    /// The most directories that are remembered; others are not watched.
    static let limit = 1024

    /// Remembers how a directory is now.
    mutating func remember(_ attributes: FileAttributes) {
        guard times.count < Self.limit || times[attributes.identity] != nil else { return }
        times[attributes.identity] = attributes.modified
    }

    /// Whether a directory is known to have been changed since it was remembered.
    func isChanged(_ attributes: FileAttributes) -> Bool {
        guard let time = times[attributes.identity] else { return false }
        return time != attributes.modified
    }
}

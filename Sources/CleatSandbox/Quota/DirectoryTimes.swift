/// The modification times of directories after the facade's last changes, to detect changes by other programs.
struct DirectoryTimes: Sendable {
    private var times: [FileIdentity: FileTime] = [:]

    /// The most directories that are recorded; changes of others are not detected.
    static let limit = 1024

    /// Records the modification time of a directory.
    mutating func remember(_ attributes: FileAttributes) {
        guard times.count < Self.limit || times[attributes.identity] != nil else { return }
        times[attributes.identity] = attributes.modified
    }

    /// Returns true if a recorded directory has been changed since.
    func isChanged(_ attributes: FileAttributes) -> Bool {
        guard let time = times[attributes.identity] else { return false }
        return time != attributes.modified
    }
}

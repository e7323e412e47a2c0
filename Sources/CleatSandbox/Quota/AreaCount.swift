internal import CleatIO
internal import SystemPackage

/// The contents of a tree of files, and the times of its directories when it was counted.
struct AreaCount: Sendable {
    /// The bytes and files, without the top directory.
    var usage = AreaUsage()
    /// The depth of the tree in names.
    var depth = 0
    /// The length of its longest path, in bytes.
    var length = 0
    /// The number of swept temporary files and append records.
    var swept = 0
    /// The modification times of the directories.
    var directories = DirectoryTimes()

    /// Counts the contents of a directory.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - sweeps: True to remove temporary files of interrupted writes, and to revert interrupted appends.
    ///   - calls: The system calls.
    /// - Throws: The system's error; `ELOOP` if the tree is too deep.
    init(_ directory: Descriptor, sweeps: Bool = false, calls: any SandboxCalls) throws(Errno) {
        var count = AreaCount()
        var reverted = 0
        try TreeWalk(directory: directory, calls: calls).run { find throws(Errno) in
            switch find {
            case .directory(let attributes): count.directories.remember(attributes)
            case .leave: break
            case .entry(let name, let attributes, let directory, let depth, let length):
                if sweeps, name.isTemporary, attributes.type == .regular {
                    try repeated { () throws(Errno) in try calls.removeFile(name, in: directory) }
                    count.swept += 1
                    break
                }
                if sweeps, name.isAppendRecord, attributes.type == .regular {
                    try Self.revert(name, in: directory, calls: calls)
                    reverted += 1
                    break
                }
                count.usage = count.usage + AreaUsage(attributes, name)
                count.depth = max(count.depth, depth)
                count.length = max(count.length, length)
            }
            return true
        }
        // Reverted files are shorter now but may have been counted before.
        if reverted > 0 {
            let swept = count.swept + reverted
            count = try AreaCount(directory, calls: calls)
            count.swept = swept
        }
        self = count
    }

    private static func revert(
        _ name: FileName, in directory: FileDescriptor, calls: any SandboxCalls
    ) throws(Errno) {
        guard let record = AppendRecord(name) else {
            return try repeated { () throws(Errno) in try calls.removeFile(name, in: directory) }
        }
        try AppendLog(directory: directory, calls: calls).revert(record)
    }

    private init() {}
}

extension AreaUsage {
    /// Makes the usage of one entry.
    ///
    /// Temporary files and append records do not count as files: a temporary file belongs to a file that is counted or
    /// reserved already, and a record is removed soon.
    init(_ attributes: FileAttributes, _ name: FileName) {
        self.init(bytes: attributes.type == .regular ? attributes.size : 0, files: name.isPassing ? 0 : 1)
    }
}

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

internal import CleatIO
internal import SystemPackage

/// What a tree of files holds, and how its directories were when it was counted.
struct AreaCount: Sendable {
    /// Bytes and files; the directory that was begun with is not among them.
    var usage = AreaUsage()
    /// How many names deep it is.
    var depth = 0
    /// The length of its longest path, in bytes.
    var length = 0
    /// How many temporary files, and records of what was added to files, were swept.
    var swept = 0
    /// The times of its directories.
    var directories = DirectoryTimes()

    /// Counts what a directory holds.
    ///
    /// - Parameters:
    ///   - directory: the directory.
    ///   - sweeps: whether temporary files of cut-off writes are taken away, and what was added by half is taken back.
    ///   - calls: the system calls.
    /// - Throws: what the system reports; `ELOOP` where it is too deep.
    init(_ directory: Descriptor, sweeps: Bool = false, calls: any SandboxCalls) throws(Errno) {
        var count = AreaCount()
        var settled = 0
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
                    try Self.settle(name, in: directory, calls: calls)
                    settled += 1
                    break
                }
                count.usage = count.usage + AreaUsage(attributes, name)
                count.depth = max(count.depth, depth)
                count.length = max(count.length, length)
            }
            return true
        }
        // What has become shorter may have been counted before.
        if settled > 0 {
            let swept = count.swept + settled
            count = try AreaCount(directory, calls: calls)
            count.swept = swept
        }
        self = count
    }

    private static func settle(
        _ name: FileName, in directory: FileDescriptor, calls: any SandboxCalls
    ) throws(Errno) {
        guard let record = AppendRecord(name) else {
            return try repeated { () throws(Errno) in try calls.removeFile(name, in: directory) }
        }
        try AppendLog(directory: directory, calls: calls).settle(record)
    }

    private init() {}
}

extension AreaUsage {
    /// What one entry counts: a temporary file stands for one that was counted, or for which room is kept, and a record of
    /// what is being added is gone soon.
    init(_ attributes: FileAttributes, _ name: FileName) {
        self.init(bytes: attributes.type == .regular ? attributes.size : 0, files: name.isPassing ? 0 : 1)
    }
}

internal import CleatIO
internal import SystemPackage

/// Walks all contents of a directory, at any depth; links are not followed, mounts not entered.
///
/// Only one chain of directories is open at a time. Entries that are exchanged or removed meanwhile are skipped.
struct TreeWalk: Sendable {
    let directory: Descriptor
    let calls: any SandboxCalls

    /// The deepest directory that is entered; the facade itself makes none below 16.
    static let depthLimit = 128

    /// An event of the walk.
    enum Find {
        /// A directory is entered; the attributes are those before it was listed.
        case directory(FileAttributes)
        /// An entry of a directory, with its depth (1 in the first directory) and the length of its path.
        case entry(FileName, FileAttributes, in: FileDescriptor, depth: Int, length: Int)
        /// All entries of a directory were visited.
        case leave(FileName, in: FileDescriptor)
    }

    /// Passes each event to `visit` until that returns false.
    ///
    /// - Returns: True if the walk is complete.
    /// - Throws: The error of `visit`, the system's error, and `ELOOP` below the deepest level.
    @discardableResult
    func run(_ visit: (Find) throws(Errno) -> Bool) throws(Errno) -> Bool {
        var first = Level(directory: directory, name: .itself, length: 0)
        let device = try calls.attributes(of: directory.descriptor).identity.device
        guard try list(&first, depth: 1, on: device, visit) else { return false }
        var chain = [first]
        while var level = chain.popLast() {
            guard let name = level.directories.popLast() else {
                if let parent = chain.last {
                    guard try visit(.leave(level.name, in: parent.directory.descriptor)) else { return false }
                }
                continue
            }
            chain.append(level)
            guard chain.count < Self.depthLimit else { throw Errno.tooManySymbolicLinkLevels }
            guard let opened = try open(name, in: level.directory) else { continue }
            var next = Level(
                directory: opened, name: name, length: level.length + (chain.count > 1 ? 1 : 0) + name.bytes.count)
            guard try list(&next, depth: chain.count + 1, on: device, visit) else { return false }
            chain.append(next)
        }
        return true
    }

    private struct Level {
        let directory: Descriptor
        let name: FileName
        let length: Int
        var directories: [FileName] = []
    }

    private func open(_ name: FileName, in directory: Descriptor) throws(Errno) -> Descriptor? {
        do throws(Errno) {
            return Descriptor(
                owning: try repeated { () throws(Errno) in
                    try calls.open(name, in: directory.descriptor, for: .list)
                })
        } catch {
            if error == .noSuchFileOrDirectory || error == .notDirectory { return nil }
            throw error
        }
    }

    private func list(
        _ level: inout Level, depth: Int, on device: UInt64, _ visit: (Find) throws(Errno) -> Bool
    ) throws(Errno) -> Bool {
        let directory = level.directory.descriptor
        guard try visit(.directory(try calls.attributes(of: directory))) else { return false }
        let length = level.length + (depth > 1 ? 1 : 0)
        var directories: [FileName] = []
        var failure: Errno?
        var goesOn = true
        try calls.names(in: directory) { name in
            do throws(Errno) {
                let attributes = try calls.attributes(of: name, in: directory)
                guard attributes.identity.device == device else { return true }
                goesOn = try visit(
                    .entry(name, attributes, in: directory, depth: depth, length: length + name.bytes.count))
                if attributes.type == .directory { directories.append(name) }
            } catch {
                if error != .noSuchFileOrDirectory { failure = error }
            }
            return goesOn && failure == nil
        }
        if let failure { throw failure }
        level.directories = directories
        return goesOn
    }
}

import SystemPackage

/// The local destination of a fetched file.
enum LocalDestination {
    /// A stream that is never replaced: standard output, a FIFO, a device.
    case stream(StreamSink, name: String)
    /// A file in a directory, which is replaced.
    case file(LocalDirectory, String)

    /// The names of standard output.
    private static let standardOutput: Set<String> = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]

    /// Determines the destination from a path.
    ///
    /// - Parameters:
    ///   - path: The path as typed; nil for the current directory.
    ///   - name: The name of the file if the path is a directory.
    /// - Throws: the reason why nothing can be written there.
    init(_ path: String?, for name: String) throws(CommandError) {
        guard let path else {
            self = .file(try LocalDirectory("."), try Self.checked(name))
            return
        }
        // The name decides, not the file behind it: the shell may have redirected the descriptor to a file, which must
        // not be replaced by another one.
        if Self.standardOutput.contains(path) {
            self = .stream(StreamSink(try Self.duplicate(.standardOutput), name: "-"), name: "-")
            return
        }
        switch LocalFiles.kind(ofPath: path) {
        case .directory: self = .file(try LocalDirectory(path), try Self.checked(name))
        case .regular:
            // A link to a file stays: its target is replaced.
            guard let real = LocalFiles.realPath(path), let (directory, last) = Self.split(real) else {
                throw .local("\(path) cannot be followed")
            }
            self = .file(try LocalDirectory(directory), last)
        case .nothing:
            guard let (directory, last) = Self.split(path) else {
                throw .local("the directory \(path) does not exist", remedy: "make it, or name a file")
            }
            self = .file(try LocalDirectory(directory), last)
        case .danglingLink:
            throw .local("\(path) is a symbolic link that leads nowhere", remedy: "remove it, or give another path")
        case .stream:
            do {
                let stream = try FileDescriptor.open(FilePath(path), .writeOnly, options: .closeOnExec)
                self = .stream(StreamSink(stream, name: path), name: path)
            } catch {
                throw .local("\(path) cannot be opened: \(error)")
            }
        case .socket: throw .local("\(path) is a socket", remedy: "name a file, a directory or `-`")
        }
    }

    private static func duplicate(_ descriptor: FileDescriptor) throws(CommandError) -> FileDescriptor {
        do {
            return try descriptor.duplicate()
        } catch {
            throw .local("standard output cannot be written: \(error)")
        }
    }

    /// Splits a path at its last slash; nil if the last name is empty, `.` or `..`.
    private static func split(_ path: String) -> (directory: String, name: String)? {
        let bytes = path.utf8
        guard let slash = bytes.lastIndex(of: UInt8(ascii: "/")) else { return (".", path) }
        let name = String(path[bytes.index(after: slash)...])
        guard !name.isEmpty, name != ".", name != ".." else { return nil }
        return (slash == bytes.startIndex ? "/" : String(path[..<slash]), name)
    }

    /// Throws an error for a name that would lead out of its directory.
    private static func checked(_ name: String) throws(CommandError) -> String {
        guard (try? FileTree.names(of: name))?.count == 1 else {
            throw .local("\(name) is not a valid file name here", remedy: "name a file to write to")
        }
        return name
    }
}

import CleatIO
import CleatSandbox
import SystemPackage

/// An open directory on this side; nothing that is done in it follows a symbolic link.
struct LocalDirectory {
    /// What it is called.
    let name: String
    /// The open directory.
    let descriptor: Descriptor
    private let calls = SystemFileCalls()

    /// Opens a directory that the caller has named; links on the way are the caller's own.
    init(_ path: String) throws(CommandError) {
        name = path
        do {
            descriptor = Descriptor(
                owning: try FileDescriptor.open(FilePath(path), .readOnly, options: [.directory, .closeOnExec]))
        } catch {
            throw .local("the directory \(path) cannot be opened: \(error)")
        }
    }

    private init(_ name: String, _ descriptor: FileDescriptor) {
        self.name = name
        self.descriptor = Descriptor(owning: descriptor)
    }

    /// What something in it is called.
    func shown(_ child: String) -> String {
        name == "." ? child : name.utf8.last == UInt8(ascii: "/") ? name + child : "\(name)/\(child)"
    }

    /// Opens a directory in it, and makes it where nothing of that name is there.
    func directory(_ child: String, isMade: Bool) throws(CommandError) -> LocalDirectory {
        let childName = FileName(child)
        do throws(Errno) {
            if isMade {
                do throws(Errno) {
                    try calls.makeDirectory(
                        childName, in: descriptor.descriptor, permissions: FilePermissions(rawValue: 0o777))
                } catch {
                    if error != .fileExists { throw error }
                }
            }
            return LocalDirectory(
                shown(child), try calls.open(childName, in: descriptor.descriptor, for: .list))
        } catch {
            let verb = isMade ? "made" : "opened"
            throw .local(
                "the directory \(shown(child)) cannot be \(verb): \(error)",
                remedy: error == .notDirectory || error == .tooManySymbolicLinkLevels
                    ? "something else stands there, which is left alone" : nil)
        }
    }

    /// Lists what is in it, by the bytes of the names.
    func entries() throws(CommandError) -> [(name: FileName, attributes: FileAttributes)] {
        var names: [FileName] = []
        do throws(Errno) {
            try calls.names(in: descriptor.descriptor) { name in
                names.append(name)
                return true
            }
            names.sort { $0.bytes.lexicographicallyPrecedes($1.bytes) }
            var entries: [(name: FileName, attributes: FileAttributes)] = []
            for name in names {
                guard let attributes = try attributes(of: name) else { continue }
                entries.append((name, attributes))
            }
            return entries
        } catch {
            throw .local("the directory \(name) cannot be read: \(error)")
        }
    }

    /// Looks at something in it; nil where nothing of that name is there.
    private func attributes(of child: FileName) throws(Errno) -> FileAttributes? {
        do throws(Errno) {
            return try calls.attributes(of: child, in: descriptor.descriptor)
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    /// Whether something of that name is in it, a link that leads nowhere included.
    func holds(_ child: String) throws(CommandError) -> Bool {
        do throws(Errno) {
            return try attributes(of: FileName(child)) != nil
        } catch {
            throw .local("\(shown(child)) cannot be looked at: \(error)")
        }
    }

    /// Opens a file in it, to send it.
    func source(_ child: String) throws(CommandError) -> LocalSource {
        let file: FileDescriptor
        do throws(Errno) {
            file = try calls.open(FileName(child), in: descriptor.descriptor, for: .read)
        } catch {
            throw .local("\(shown(child)) cannot be opened: \(error)")
        }
        return try LocalSource(opened: Descriptor(owning: file), name: shown(child))
    }

    /// Begins to replace a file in it, or to make one.
    ///
    /// Only a regular file is replaced; it hands on its permissions.
    func sink(_ child: String, mode: String) throws(CommandError) -> ReplacingSink {
        var permissions = (UInt16(mode, radix: 8) ?? 0o644) & 0o777 & ~Process.fileModeMask
        let old: FileAttributes?
        do throws(Errno) {
            old = try attributes(of: FileName(child))
        } catch {
            throw .local("\(shown(child)) cannot be looked at: \(error)")
        }
        if let old {
            guard old.type == .regular else {
                throw .local(
                    "\(shown(child)) is there and is no regular file (\(old.type.rawValue))",
                    remedy: "it is left alone; name another place")
            }
            permissions = old.permissions & 0o777
        }
        return try ReplacingSink(child, in: self, permissions: FilePermissions(rawValue: CModeT(permissions)))
    }

    /// Refuses to begin with a file that the file system has no space for (`fstatvfs`).
    func requireSpace(for size: Int64, as child: String) throws(CommandError) {
        // A file system that does not say how much is free decides when it is written to.
        guard let space = try? calls.space(on: descriptor.descriptor), space.total > 0, size > space.available else {
            return
        }
        throw .local(
            "\(shown(child)) needs \(size.shownBytes), and \(space.available.shownBytes) are free on its file system",
            remedy: "free space, or name a place on another file system")
    }

    /// Opens what has come of a file at an earlier time, or begins with it.
    ///
    /// - Returns: nil where another command fetches the same into the same place.
    func partial(of child: String, size: Int64, sha256: String) throws(CommandError) -> PartialFile? {
        do throws(Errno) {
            return try PartialFile(of: child, size: size, sha256: sha256, in: descriptor.descriptor)
        } catch {
            throw .local("\(shown(child)) cannot be written: \(error)")
        }
    }
}

import CleatIO
import CleatSandbox
import SystemPackage

/// An open local directory; no operation on its entries follows a symbolic link.
struct LocalDirectory {
    /// The path as it was typed, for messages.
    let name: String
    /// The open directory.
    let descriptor: Descriptor
    private let calls = SystemFileCalls()

    /// Opens a directory that the caller has named; symbolic links in the path are followed.
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

    /// Returns the path of an entry, for messages.
    func shown(_ child: String) -> String {
        name == "." ? child : name.utf8.last == UInt8(ascii: "/") ? name + child : "\(name)/\(child)"
    }

    /// Opens a subdirectory; with `isMade`, creates it if it is missing.
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
                    ? "another file exists there, and is not changed" : nil)
        }
    }

    /// Returns the entries, sorted by the bytes of their names.
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

    /// Returns the attributes of an entry; nil if there is none of that name.
    private func attributes(of child: FileName) throws(Errno) -> FileAttributes? {
        do throws(Errno) {
            return try calls.attributes(of: child, in: descriptor.descriptor)
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw error
        }
    }

    /// Returns true if there is an entry of that name; a dangling link counts.
    func holds(_ child: String) throws(CommandError) -> Bool {
        do throws(Errno) {
            return try attributes(of: FileName(child)) != nil
        } catch {
            throw .local("\(shown(child)) cannot be read: \(error)")
        }
    }

    /// Opens a file for sending.
    func source(_ child: String) throws(CommandError) -> LocalSource {
        let file: FileDescriptor
        do throws(Errno) {
            file = try calls.open(FileName(child), in: descriptor.descriptor, for: .read)
        } catch {
            throw .local("\(shown(child)) cannot be opened: \(error)")
        }
        return try LocalSource(opened: Descriptor(owning: file), name: shown(child))
    }

    /// Starts to replace a file, or to create one.
    ///
    /// Only a regular file is replaced; the new file gets its permissions.
    func sink(_ child: String, mode: String) throws(CommandError) -> ReplacingSink {
        var permissions = (UInt16(mode, radix: 8) ?? 0o644) & 0o777 & ~LocalFiles.fileModeMask
        let old: FileAttributes?
        do throws(Errno) {
            old = try attributes(of: FileName(child))
        } catch {
            throw .local("\(shown(child)) cannot be read: \(error)")
        }
        if let old {
            guard old.type == .regular else {
                throw .local(
                    "\(shown(child)) exists and is not a regular file (\(old.type.rawValue))",
                    remedy: "it is not changed; give another destination")
            }
            permissions = old.permissions & 0o777
        }
        return try ReplacingSink(child, in: self, permissions: FilePermissions(rawValue: CModeT(permissions)))
    }

    /// Throws an error if the file system does not have enough space for a file (`fstatvfs`).
    func requireSpace(for size: Int64, as child: String) throws(CommandError) {
        // If the free space is unknown, the write itself fails when there is no space left.
        guard let space = try? calls.space(on: descriptor.descriptor), space.total > 0, size > space.available else {
            return
        }
        throw .local(
            "\(shown(child)) needs \(size.shownBytes), and \(space.available.shownBytes) are free on its file system",
            remedy: "free space, or give a path on another file system")
    }

    /// Opens the part of a file that an earlier command has fetched, or starts a new one.
    ///
    /// - Returns: the file; nil if it cannot be used, for example because another command fetches the same content.
    func partial(of child: String, size: Int64, sha256: String) throws(CommandError) -> PartialFile? {
        do throws(Errno) {
            return try PartialFile(of: child, size: size, sha256: sha256, in: descriptor.descriptor)
        } catch {
            throw .local("\(shown(child)) cannot be written: \(error)")
        }
    }
}

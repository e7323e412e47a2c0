package import CleatIO
internal import SystemPackage

extension AreaRoot {
    /// Opens a path of any file type to read its attributes only (`O_PATH`).
    func look(_ path: SandboxPath, _ operation: String) throws(SandboxError) -> Descriptor {
        try open(path, for: .inspect, operation)
    }

    /// Opens a directory to list, change and flush it.
    package func openDirectory(_ path: SandboxPath, _ operation: String) throws(SandboxError) -> Descriptor {
        guard !path.isRoot else { return directory }
        return try open(path, for: .list, operation)
    }

    /// Opens the parent directory of a path, and returns it with the last name.
    func place(of path: SandboxPath, _ operation: String) throws(SandboxError) -> (Descriptor, FileName) {
        guard let name = path.name else {
            throw SandboxError(
                .isDirectory, operation, area: area, path: "", detail: "it is the top directory; name something in it")
        }
        return (try openDirectory(path.parent, operation), FileName(name))
    }

    /// Opens a regular file that has only one name.
    ///
    /// The file is checked first (`O_PATH`), and the checked file is opened, not its name again: whatever is exchanged
    /// meanwhile, no FIFO gets a reader and no driver is opened. Only without /proc the name is opened a second time; a
    /// FIFO or device put there in between is then opened, without blocking, and closed.
    func openFile(
        _ path: SandboxPath, for purpose: OpenPurpose, _ operation: String
    ) throws(SandboxError) -> (Descriptor, FileAttributes) {
        let seen = try look(path, operation)
        let attributes = try checked(seen, path, operation)
        do throws(Errno) {
            let file = try Resolvers.repeated { () throws(Errno) in
                try calls.reopen(seen.descriptor, for: purpose)
            }
            return (Descriptor(owning: file), attributes)
        } catch {
            guard error == .noSuchFileOrDirectory || error == .notDirectory else {
                throw SandboxError(error, operation, area: area, path: path.text)
            }
        }
        // /proc is not mounted. The name is opened again, and must still refer to the checked file.
        let file = try open(path, for: purpose, operation)
        let again = try checked(file, path, operation)
        guard again.identity == attributes.identity else {
            throw SandboxError(.changed, operation, area: area, path: path.text)
        }
        return (file, again)
    }

    /// Returns the attributes of an open file.
    package func attributes(
        of file: Descriptor, _ path: SandboxPath, _ operation: String
    ) throws(SandboxError) -> FileAttributes {
        do throws(Errno) {
            return try calls.attributes(of: file.descriptor)
        } catch {
            throw SandboxError(error, operation, area: area, path: path.text)
        }
    }

    /// Refuses anything that is not a regular file, and files with more than one name.
    func check(_ attributes: FileAttributes, _ path: SandboxPath, _ operation: String) throws(SandboxError) {
        let code: SandboxError.Code
        switch attributes.type {
        case .regular:
            if attributes.links <= 1 { return }
            code = .hardLink
        case .directory: code = .isDirectory
        case .symbolicLink: code = .symbolicLink
        case .fifo, .socket, .characterDevice, .blockDevice, .other: code = .specialFile
        }
        throw SandboxError(code, operation, area: area, path: path.text)
    }

    /// Returns the attributes of the regular file that a new file would replace; nil if there is none.
    func replaceable(
        _ name: FileName, in directory: Descriptor, _ path: SandboxPath, _ operation: String
    ) throws(SandboxError) -> FileAttributes? {
        guard let attributes = try attributes(of: name, in: directory, path, operation) else { return nil }
        // A further hard link keeps the old content: replacing the name changes nothing outside of the area.
        if attributes.type != .regular { try check(attributes, path, operation) }
        return attributes
    }

    /// Returns the attributes of a name in a directory; nil if it does not exist.
    func attributes(
        of name: FileName, in directory: Descriptor, _ path: SandboxPath, _ operation: String
    ) throws(SandboxError) -> FileAttributes? {
        do throws(Errno) {
            return try calls.attributes(of: name, in: directory.descriptor)
        } catch {
            if error == .noSuchFileOrDirectory { return nil }
            throw SandboxError(error, operation, area: area, path: path.text)
        }
    }

    private func checked(
        _ file: Descriptor, _ path: SandboxPath, _ operation: String
    ) throws(SandboxError) -> FileAttributes {
        let attributes = try attributes(of: file, path, operation)
        try check(attributes, path, operation)
        return attributes
    }

    private func open(
        _ path: SandboxPath, for purpose: OpenPurpose, _ operation: String
    ) throws(SandboxError) -> Descriptor {
        do throws(Errno) {
            return Descriptor(
                owning: try resolver.open(path, beneath: directory.descriptor, for: purpose, calls: calls))
        } catch {
            throw SandboxError(error, operation, area: area, path: path.text)
        }
    }
}

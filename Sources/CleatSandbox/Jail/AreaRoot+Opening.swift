internal import CleatIO
internal import SystemPackage

extension AreaRoot {
    /// Opens what a path leads to, whatever it is, to be looked at.
    func look(_ path: SandboxPath, _ operation: String) throws(SandboxError) -> Descriptor {
        try open(path, for: .look, operation)
    }

    /// Opens a directory, to list, change and flush it.
    func openDirectory(_ path: SandboxPath, _ operation: String) throws(SandboxError) -> Descriptor {
        guard !path.isRoot else { return directory }
        return try open(path, for: .list, operation)
    }

    /// Opens the directory of what a path names, and gives the name in it.
    func place(of path: SandboxPath, _ operation: String) throws(SandboxError) -> (Descriptor, FileName) {
        guard let name = path.name else {
            throw SandboxError(
                .isDirectory, operation, area: area, path: "", detail: "it is the area itself; name something in it")
        }
        return (try openDirectory(path.parent, operation), FileName(name))
    }

    /// Opens a regular file that has no other name.
    ///
    /// It is looked at first (`O_PATH`), and what was seen is opened, not what has the name by then: whatever others
    /// exchange meanwhile, no FIFO has a reader for an instant, and no driver hears of it. Only without /proc the name has
    /// to be opened once more; what somebody has put there in between is then opened, without waiting, and let go.
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
        // There is no /proc. The name is opened again, and must still be that of what was seen.
        let file = try open(path, for: purpose, operation)
        let again = try checked(file, path, operation)
        guard again.identity == attributes.identity else {
            throw SandboxError(.changed, operation, area: area, path: path.text)
        }
        return (file, again)
    }

    /// Looks at something open.
    func attributes(
        of file: Descriptor, _ path: SandboxPath, _ operation: String
    ) throws(SandboxError) -> FileAttributes {
        do throws(Errno) {
            return try calls.attributes(of: file.descriptor)
        } catch {
            throw SandboxError(error, operation, area: area, path: path.text)
        }
    }

    /// Refuses what is no regular file, and what has another name.
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

    /// Looks at what a new file would replace: a regular file, or nothing.
    func replaceable(
        _ name: FileName, in directory: Descriptor, _ path: SandboxPath, _ operation: String
    ) throws(SandboxError) -> FileAttributes? {
        guard let attributes = try attributes(of: name, in: directory, path, operation) else { return nil }
        // Another name of the file keeps the old content: replacing it touches nothing outside.
        if attributes.type != .regular { try check(attributes, path, operation) }
        return attributes
    }

    /// Looks at a name of a directory; nil where there is none.
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

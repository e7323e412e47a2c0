internal import CleatIO
internal import SystemPackage

/// Checks the files of an area without opening them.
extension SandboxedDirectory {
    /// Returns the attributes of a path; of a link, its own.
    ///
    /// - Throws: `notFound`, or the reason why they could not be read.
    package func attributes(of path: SandboxPath) throws(SandboxError) -> FileAttributes {
        try root.attributes(of: root.look(path, "inspect"), path, "inspect")
    }

    /// Returns true if the path exists.
    ///
    /// - Throws: The reason why it could not be checked.
    package func exists(_ path: SandboxPath) throws(SandboxError) -> Bool {
        do throws(SandboxError) {
            _ = try root.look(path, "inspect")
            return true
        } catch {
            if error.code == .notFound || error.code == .notDirectory { return false }
            throw error
        }
    }

    /// Returns true if this process could read a file or list a directory.
    ///
    /// - Throws: The reason why it could not be checked.
    package func isReadable(_ path: SandboxPath) throws(SandboxError) -> Bool { try may(path, writing: false) }

    /// Returns true if this process could write a file or change a directory.
    ///
    /// - Throws: The reason why it could not be checked.
    package func isWritable(_ path: SandboxPath) throws(SandboxError) -> Bool { try may(path, writing: true) }

    /// Returns the path of a file or directory in the system's tree, as it is now.
    ///
    /// - Throws: `notFound`, or the reason why it could not be determined.
    package func realPath(of path: SandboxPath) throws(SandboxError) -> String {
        let seen = try root.look(path, "inspect")
        do throws(Errno) {
            return try root.calls.path(of: seen.descriptor)
        } catch {
            throw SandboxError(error, "inspect", area: area, path: path.text)
        }
    }

    private func may(_ path: SandboxPath, writing: Bool) throws(SandboxError) -> Bool {
        let attributes: FileAttributes
        do throws(SandboxError) {
            attributes = try self.attributes(of: path)
        } catch {
            if error.code == .notFound || error.code == .notDirectory { return false }
            throw error
        }
        guard attributes.type == .directory || (attributes.type == .regular && attributes.links <= 1) else {
            return false
        }
        let (directory, name) = path.isRoot ? (root.directory, .itself) : try root.place(of: path, "inspect")
        do throws(Errno) {
            try root.calls.checkAccess(to: name, in: directory.descriptor, writing: writing)
            return true
        } catch {
            switch error {
            case .permissionDenied, .notPermitted, .readOnlyFileSystem, .noSuchFileOrDirectory: return false
            default: throw SandboxError(error, "inspect", area: area, path: path.text)
            }
        }
    }
}

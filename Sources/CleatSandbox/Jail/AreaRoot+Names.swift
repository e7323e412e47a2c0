internal import CleatIO
internal import SystemPackage

extension AreaRoot {
    /// Returns the attributes of a name in a directory; throws `notFound` if there is none.
    func existing(
        _ name: FileName, in directory: Descriptor, _ path: SandboxPath, _ operation: String
    ) throws(SandboxError) -> FileAttributes {
        if let attributes = try attributes(of: name, in: directory, path, operation) { return attributes }
        throw SandboxError(.notFound, operation, area: area, path: path.text)
    }

    /// Returns the attributes of an entry to rename: it must be a regular file or a directory.
    func movable(
        _ name: FileName, in directory: Descriptor, _ path: SandboxPath, _ operation: String
    ) throws(SandboxError) -> FileAttributes {
        let attributes = try existing(name, in: directory, path, operation)
        if attributes.type != .directory { try check(attributes, path, operation) }
        return attributes
    }

    /// Returns the attributes of the file that a moved one would replace; nil if there is none.
    func replaced(
        _ name: FileName, in directory: Descriptor, _ path: SandboxPath, _ moved: FileAttributes, _ operation: String,
        replacing: Bool
    ) throws(SandboxError) -> FileAttributes? {
        guard let there = try attributes(of: name, in: directory, path, operation) else { return nil }
        guard replacing else {
            throw SandboxError(
                .exists, operation, area: area, path: path.text,
                detail: "there is something of that name already; remove it first, or ask to replace it")
        }
        if there.type != .regular { try check(there, path, operation) }
        guard moved.type == .regular else { throw SandboxError(.notDirectory, operation, area: area, path: path.text) }
        return there
    }

    /// Makes a call that changes files, and repeats it if it is interrupted.
    ///
    /// If it fails, the area is counted again, except for errors with which the kernel refuses a call before any
    /// change.
    func call<Value>(
        _ operation: String, _ path: SandboxPath, _ ledger: inout AreaLedger, _ call: () throws(Errno) -> Value
    ) throws(SandboxError) -> Value {
        do throws(Errno) {
            return try repeated(call)
        } catch {
            switch error {
            case .fileExists, .directoryNotEmpty, .notDirectory, .isDirectory, .improperLink, .invalidArgument: break
            default: ledger.isStale = true
            }
            throw SandboxError(error, operation, area: area, path: path.text)
        }
    }

    /// Flushes a directory or a file with its attributes, so that changes of them survive a power cut.
    func flush(_ directory: Descriptor, _ path: SandboxPath, _ operation: String) throws(SandboxError) {
        do throws(Errno) {
            try repeated { () throws(Errno) in try calls.flushDirectory(directory.descriptor) }
        } catch {
            throw SandboxError(
                error, operation, area: area, path: path.text,
                detail:
                    "it is done, but may not outlast a power cut, since it could not be flushed (\(error));"
                    + " check the storage device and the kernel's log")
        }
    }
}

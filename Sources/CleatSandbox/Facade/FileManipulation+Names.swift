internal import CleatIO
package import SystemPackage

extension SandboxedDirectory {
    /// The most entries that one recursive removal of a directory removes.
    package static var removalLimit: Int { 10_000 }

    /// Removes a file, link, FIFO, socket or device; the target of a link is not changed.
    ///
    /// - Throws: `notFound`, `isDirectory`, or the reason why it was not removed.
    package func delete(_ path: SandboxPath) throws(SandboxError) {
        let (directory, name) = try root.place(of: path, "delete")
        try root.account.change(in: directory) { ledger throws(SandboxError) in
            let attributes = try root.existing(name, in: directory, path, "delete")
            guard attributes.type != .directory else {
                throw SandboxError(
                    .isDirectory, "delete", area: area, path: path.text,
                    detail: "it is a directory; remove it as one")
            }
            try root.call("delete", path, &ledger) { () throws(Errno) in
                try root.calls.removeFile(name, in: directory.descriptor)
            }
            ledger.remove(AreaUsage(attributes, name))
        }
        try root.flush(directory, path, "delete")
    }

    /// Flushes the directory of a path, so that the presence or absence of the name survives a power cut; nothing is
    /// written.
    package func flush(_ path: SandboxPath) throws(SandboxError) {
        try root.flush(try root.place(of: path, "flush").0, path, "flush")
    }

    /// Renames a file or a directory, within its directory or to another directory of the area.
    ///
    /// - Parameters:
    ///   - path: The current path.
    ///   - other: The new path.
    ///   - replacing: True if an existing file at the new path is replaced.
    /// - Throws: `exists`, or the reason why it was not renamed.
    package func rename(
        _ path: SandboxPath, to other: SandboxPath, replacing: Bool = false
    ) throws(SandboxError) {
        let (source, name) = try root.place(of: path, "rename")
        let (target, newName) = try root.place(of: other, "rename")
        try root.account.change(in: source, target) { ledger throws(SandboxError) in
            let moved = try root.movable(name, in: source, path, "rename")
            try checkFit(moved, name, in: source, path, to: other, "rename")
            let replaced = try root.replaced(newName, in: target, other, moved, "rename", replacing: replacing)
            guard replaced?.identity != moved.identity else { return }
            try root.call("rename", path, &ledger) { () throws(Errno) in
                try root.calls.rename(
                    name, in: source.descriptor, to: newName, in: target.descriptor, exclusive: replaced == nil)
            }
            if let replaced { ledger.remove(AreaUsage(replaced, newName)) }
        }
        try root.flush(target, other, "rename")
        if path.parent != other.parent { try root.flush(source, path, "rename") }
    }

    /// Makes a directory.
    ///
    /// - Parameters:
    ///   - path: The directory.
    ///   - permissions: The permissions, independent of the umask.
    ///   - withParents: True if missing parents are made, too, and an existing directory is not an error.
    /// - Throws: `exists`, or the reason why it was not made.
    package func makeDirectory(
        _ path: SandboxPath, permissions: FilePermissions = [.ownerReadWriteExecute, .groupRead, .groupExecute],
        withParents: Bool = false
    ) throws(SandboxError) {
        if withParents {
            if path.isRoot { return }
            if try isDirectory(path) { return }
            try makeDirectory(path.parent, permissions: permissions, withParents: true)
        }
        let (directory, name) = try root.place(of: path, "make the directory")
        try root.account.change(in: directory) { ledger throws(SandboxError) in
            try ledger.makeSpace(for: AreaUsage(bytes: 0, files: 1), path: path)
            try root.call("make the directory", path, &ledger) { () throws(Errno) in
                try root.calls.makeDirectory(name, in: directory.descriptor, permissions: permissions)
                try set(permissions, ofDirectory: name, in: directory)
            }
            ledger.add(AreaUsage(bytes: 0, files: 1))
        }
        try root.flush(directory, path, "make the directory")
    }

    /// Removes a directory.
    ///
    /// - Parameters:
    ///   - path: The directory; not the area itself.
    ///   - recursive: True if its contents are removed, too; at most ``removalLimit`` entries in one call.
    /// - Throws: `notEmpty`, `notDirectory`, `tooMany` if only a part was removed and the call has to be repeated, or
    ///   the reason why it was not removed.
    package func removeDirectory(_ path: SandboxPath, recursive: Bool = false) throws(SandboxError) {
        let (directory, name) = try root.place(of: path, "remove the directory")
        let removed = recursive ? try root.openDirectory(path, "remove the directory") : nil
        try root.account.change(in: directory) { ledger throws(SandboxError) in
            let attributes = try root.existing(name, in: directory, path, "remove the directory")
            guard attributes.type == .directory else {
                throw SandboxError(
                    attributes.type == .symbolicLink ? .symbolicLink : .notDirectory, "remove the directory",
                    area: area, path: path.text, detail: "it is a \(attributes.type.rawValue); delete it")
            }
            if let removed { try empty(removed, path, &ledger) }
            try root.call("remove the directory", path, &ledger) { () throws(Errno) in
                try root.calls.removeDirectory(name, in: directory.descriptor)
            }
            ledger.remove(AreaUsage(attributes, name))
        }
        try root.flush(directory, path, "remove the directory")
    }

    private func isDirectory(_ path: SandboxPath) throws(SandboxError) -> Bool {
        do throws(SandboxError) {
            let seen = try root.look(path, "make the directory")
            return try root.attributes(of: seen, path, "make the directory").type == .directory
        } catch {
            if error.code == .notFound || error.code == .notDirectory { return false }
            throw error
        }
    }

    private func set(
        _ permissions: FilePermissions, ofDirectory name: FileName, in directory: Descriptor
    ) throws(Errno) {
        do throws(Errno) {
            let made = try repeated { () throws(Errno) in
                try root.calls.open(name, in: directory.descriptor, for: .list)
            }
            defer { try? root.calls.close(made) }
            try repeated { () throws(Errno) in try root.calls.setPermissions(permissions, of: made) }
        } catch {
            try? repeated { () throws(Errno) in
                try root.calls.removeDirectory(name, in: directory.descriptor)
            }
            throw error
        }
    }

    /// Removes the contents of a directory.
    private func empty(
        _ directory: Descriptor, _ path: SandboxPath, _ ledger: inout AreaLedger
    ) throws(SandboxError) {
        var gone = AreaUsage()
        var left = Self.removalLimit
        let isDone: Bool
        defer { ledger.remove(gone) }
        do throws(Errno) {
            isDone = try ledger.changing { () throws(Errno) in
                try TreeWalk(directory: directory, calls: root.calls).run { find throws(Errno) in
                    switch find {
                    case .directory: return true
                    case .entry(let name, let attributes, let directory, _, _):
                        guard left > 0 else { return false }
                        left -= 1
                        gone = gone + AreaUsage(attributes, name)
                        guard attributes.type != .directory else { return true }
                        try repeated { () throws(Errno) in try root.calls.removeFile(name, in: directory) }
                    case .leave(let name, let directory):
                        try repeated { () throws(Errno) in try root.calls.removeDirectory(name, in: directory) }
                    }
                    return true
                }
            }
        } catch {
            throw SandboxError(error, "remove the directory", area: area, path: path.text)
        }
        guard isDone else {
            ledger.isStale = true
            throw SandboxError(
                .tooMany, "remove the directory", area: area, path: path.text,
                detail: "it holds more than \(Self.removalLimit) entries, and that many were removed; remove it again"
            )
        }
    }
}

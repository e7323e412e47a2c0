internal import CleatIO
internal import SystemPackage

extension SandboxedDirectory {
    /// Moves a file or a directory into another area, by a rename if both are on one file system.
    ///
    /// A file that has to move to another file system is copied, durably, and then deleted; a directory is refused
    /// then.
    ///
    /// - Parameters:
    ///   - path: The file or directory to move.
    ///   - area: The target area.
    ///   - other: The new path in the target area.
    ///   - replacing: True if an existing file at the new path is replaced.
    /// - Throws: `exists`, `quotaBytes` or `quotaFiles` of the target area, or the reason why it was not moved.
    package func move(
        _ path: SandboxPath, to area: SandboxedDirectory, as other: SandboxPath, replacing: Bool = false
    ) throws(SandboxError) {
        guard area.root.account !== root.account else { return try rename(path, to: other, replacing: replacing) }
        do throws(SandboxError) {
            try moveByRename(path, to: area.root, as: other, replacing: replacing)
        } catch {
            guard error.errno == .improperLink else { throw error }
            try moveByCopy(path, to: area, as: other, replacing: replacing)
        }
    }

    private func moveByRename(
        _ path: SandboxPath, to target: AreaRoot, as other: SandboxPath, replacing: Bool
    ) throws(SandboxError) {
        let (from, name) = try root.place(of: path, "move")
        let (to, newName) = try target.place(of: other, "move")
        try AreaAccount.change(root.account, in: from, target.account, in: to) {
            source, ledger throws(SandboxError) in
            let moved = try root.movable(name, in: from, path, "move")
            let held = try checkFit(moved, name, in: from, path, to: other, "move")
            let replaced = try target.replaced(newName, in: to, other, moved, "move", replacing: replacing)
            try ledger.makeSpace(for: held, path: other)
            do throws(SandboxError) {
                try root.call("move", path, &source) { () throws(Errno) in
                    try root.calls.rename(
                        name, in: from.descriptor, to: newName, in: to.descriptor, exclusive: replaced == nil)
                }
            } catch {
                if source.isStale { ledger.isStale = true }
                throw error
            }
            source.remove(held)
            ledger.add(held)
            if let replaced { ledger.remove(AreaUsage(replaced, newName)) }
        }
        try target.flush(to, other, "move")
        try root.flush(from, path, "move")
    }

    private func moveByCopy(
        _ path: SandboxPath, to area: SandboxedDirectory, as other: SandboxPath, replacing: Bool
    ) throws(SandboxError) {
        let copy = try FileCopy(path, in: root, to: other, in: area.root, replacing: replacing)
        while try !copy.step() {}
        try copy.commit()
        try delete(path)
    }

    /// Copies a file, in this area or into another: blocks are shared if the file system supports it.
    ///
    /// Permissions are copied; owner and times are not. The copy counts in full towards the quota, even if blocks are
    /// shared.
    ///
    /// - Parameters:
    ///   - path: The file.
    ///   - area: The area of the copy.
    ///   - other: The path of the copy.
    ///   - replacing: True if an existing file at that path is replaced.
    /// - Throws: `exists`, `quotaBytes`, or the reason why the copy failed.
    package func copy(
        _ path: SandboxPath, to area: SandboxedDirectory, as other: SandboxPath, replacing: Bool = false
    ) throws(SandboxError) {
        let copy = try FileCopy(path, in: root, to: other, in: area.root, replacing: replacing)
        while try !copy.step() {}
        try copy.commit()
    }

    /// Checks that all contents of a moved directory have valid paths at the new place, and counts them.
    @discardableResult
    func checkFit(
        _ moved: FileAttributes, _ name: FileName, in directory: Descriptor, _ path: SandboxPath,
        to other: SandboxPath, _ operation: String
    ) throws(SandboxError) -> AreaUsage {
        let itself = AreaUsage(moved, name)
        guard moved.type == .directory else { return itself }
        let count: AreaCount
        do throws(Errno) {
            let opened = Descriptor(
                owning: try repeated { () throws(Errno) in
                    try root.calls.open(name, in: directory.descriptor, for: .list)
                })
            count = try AreaCount(opened, calls: root.calls)
        } catch {
            throw SandboxError(error, operation, area: area, path: path.text)
        }
        let length = other.text.utf8.count + (count.length > 0 ? 1 + count.length : 0)
        guard other.depth + count.depth <= SandboxPath.namesLimit, length <= SandboxPath.bytesLimit else {
            throw SandboxError(
                .badPath, operation, area: area, path: path.text,
                detail: "holds files whose paths would have more than 16 names or 1,024 bytes; put it less deep")
        }
        return count.usage + itself
    }
}

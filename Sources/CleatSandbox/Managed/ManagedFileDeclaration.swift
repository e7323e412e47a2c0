/// Declares files of the system that may be managed: one by its path, or those of one directory by a pattern.
package struct ManagedFileDeclaration: Hashable, Sendable, CustomStringConvertible {
    /// The most bytes that a managed file has where nothing else was declared.
    package static let defaultSizeLimit = 1 << 20

    /// The directory, from the root down.
    let directory: SandboxPath
    let pattern: NamePattern
    /// Whether directories that are missing on the way are made by a write.
    package let makesParents: Bool
    /// Whether the very name is managed: a symbolic link there is not followed but captured, replaced and brought back.
    package let isLink: Bool
    /// The most bytes that such a file has.
    package let sizeLimit: Int

    /// Takes an absolute path, whose last name may hold `*` and `?`: `/etc/hostname`, `/etc/systemd/network/*.network`.
    ///
    /// - Parameters:
    ///   - path: the path as the system names it, below the root directory of the service.
    ///   - makesParents: whether a write makes the directories that are missing on the way.
    ///   - isLink: whether the very name is managed, and may be that of a symbolic link.
    ///   - sizeLimit: the most bytes that such a file has.
    /// - Throws: `badPath`, where the path is not absolute or not plain.
    package init(
        _ path: String, makesParents: Bool = false, isLink: Bool = false, sizeLimit: Int = Self.defaultSizeLimit
    ) throws(SandboxError) {
        let checked = try Self.checked(path, "declare")
        guard let name = checked.name, let pattern = NamePattern(name) else {
            throw SandboxError(
                .badPath, "declare", area: nil, path: path,
                detail: "is no pattern; use “*” and “?” in its last name, and nothing else that shells know")
        }
        directory = checked.parent
        self.pattern = pattern
        self.makesParents = makesParents
        self.isLink = isLink
        self.sizeLimit = sizeLimit
    }

    /// Whether it means one file only.
    package var isPlain: Bool { pattern.isPlain }

    /// The path, or the pattern, as the system names it.
    package var description: String { "/" + (directory.isRoot ? "" : directory.text + "/") + pattern.text }

    /// Whether it declares a path.
    func declares(_ path: SandboxPath) -> Bool {
        guard path.parent == directory, let name = path.name else { return false }
        return pattern.matches(name)
    }

    /// Checks an absolute path by the same rules as that of an area.
    static func checked(_ path: String, _ operation: String) throws(SandboxError) -> SandboxPath {
        guard path.utf8.first == UInt8(ascii: "/"), path.utf8.count > 1 else {
            throw SandboxError(
                .badPath, operation, area: nil, path: path, detail: "is not absolute; begin it with a slash")
        }
        do throws(SandboxError) {
            return try SandboxPath(String(path.dropFirst()))
        } catch {
            throw SandboxError(error.code, operation, area: nil, path: "/" + error.path, detail: error.detail)
        }
    }
}

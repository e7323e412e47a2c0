/// Declares system files that may be managed: one by its path, or those of one directory by a pattern.
package struct ManagedFileDeclaration: Hashable, Sendable, CustomStringConvertible {
    /// The largest size of a managed file in bytes, unless another one is declared.
    package static let defaultSizeLimit = 1 << 20

    /// The directory, relative to the root.
    let directory: SandboxPath
    /// The declared file; nil if a pattern is declared.
    let file: SandboxPath?
    let pattern: NamePattern
    /// True if a write makes missing parent directories.
    package let makesParents: Bool
    /// True if the name itself is managed: a symbolic link there is not followed but captured, replaced and restored.
    package let isLink: Bool
    /// The largest size of such a file in bytes.
    package let sizeLimit: Int

    /// Makes a declaration of an absolute path, whose last name may contain `*` and `?`: `/etc/hostname`,
    /// `/etc/systemd/network/*.network`.
    ///
    /// - Parameters:
    ///   - path: The absolute path as seen by the system, below the root directory of the service.
    ///   - makesParents: True if a write makes missing parent directories.
    ///   - isLink: True if the name itself is managed, and may be a symbolic link.
    ///   - sizeLimit: The largest size of such a file in bytes.
    /// - Throws: `badPath` if the path is not absolute or not valid.
    package init(
        _ path: String, makesParents: Bool = false, isLink: Bool = false, sizeLimit: Int = Self.defaultSizeLimit
    ) throws(SandboxError) {
        let checked = try Self.checked(path, "declare")
        guard let name = checked.name, let pattern = NamePattern(name) else {
            throw SandboxError(
                .badPath, "declare", area: nil, path: path,
                detail: "is not a valid pattern; use “*” and “?” in its last name, and no other wildcards")
        }
        directory = checked.parent
        file = pattern.isPlain ? checked : nil
        self.pattern = pattern
        self.makesParents = makesParents
        self.isLink = isLink
        self.sizeLimit = sizeLimit
    }

    /// True if it declares one file only.
    package var isPlain: Bool { file != nil }

    /// The path or pattern as seen by the system.
    package var description: String { "/" + (directory.isRoot ? "" : directory.text + "/") + pattern.text }

    /// Returns true if it declares a path.
    func declares(_ path: SandboxPath) -> Bool {
        guard path.parent == directory, let name = path.name else { return false }
        return pattern.matches(name)
    }

    /// Validates an absolute path by the same rules as a path in an area.
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

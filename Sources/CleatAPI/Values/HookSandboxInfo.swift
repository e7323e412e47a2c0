/// The files and directories that a hook may write.
package struct HookSandboxInfo: Codable, Hashable, Sendable {
    /// The directories and files that it may write; everywhere else it may only read.
    package var writePaths: [String]
    /// True if the hook is refused on a kernel that cannot enforce the restriction.
    package var required: Bool
    /// True if the kernel enforces the restriction, with Landlock.
    package var enforced: Bool

    /// Creates a description.
    package init(writePaths: [String], required: Bool, enforced: Bool) {
        self.writePaths = writePaths
        self.required = required
        self.enforced = enforced
    }

    private enum CodingKeys: String, CodingKey {
        case writePaths = "write_paths"
        case required
        case enforced
    }
}

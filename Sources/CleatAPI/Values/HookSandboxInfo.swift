/// Says what a hook may write.
package struct HookSandboxInfo: Codable, Hashable, Sendable {
    /// The directories and files that it may write; everywhere else it may only read.
    package var writePaths: [String]
    /// Whether the hook would be refused where the kernel cannot see to that.
    package var required: Bool
    /// Whether the kernel sees to that.
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

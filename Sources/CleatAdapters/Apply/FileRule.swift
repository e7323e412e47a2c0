package import CleatSandbox
package import CleatSettings

/// A file that is made of a template.
package struct FileRule: Sendable {
    /// The most bytes of its path.
    static let pathBytes = 1_024

    /// Its absolute path, as the system knows it.
    package let path: String
    /// What it holds.
    package let template: Template
    /// Its permission bits.
    package let permissions: UInt16
    /// Whom it belongs to; nil for its present owner, or for whom the service runs as.
    package let owner: FileOwner?
    /// Whether it is removed where the template makes nothing but blanks.
    package let removesEmpty: Bool
    /// The settings and groups of which one must be set for the file to be managed.
    package let when: [SettingPath]
    /// What the sandbox is told of it.
    package let declaration: ManagedFileDeclaration
    /// Why what it holds only counts after a reboot, as the end of a sentence; nil where it counts at once.
    package let reboot: String?
}

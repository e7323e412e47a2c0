package import CleatSandbox
package import CleatSettings

/// A file that is rendered from a template.
package struct FileRule: Sendable {
    /// The maximum number of bytes of the path.
    static let pathBytes = 1_024

    /// The absolute path of the file on the system.
    package let path: String
    /// The template of the content.
    package let template: Template
    /// The permission bits.
    package let permissions: UInt16
    /// The owner; nil to keep the present owner, or for the service's own user if the file is new.
    package let owner: FileOwner?
    /// True if the file is removed when the template renders to blanks only.
    package let removesEmpty: Bool
    /// The settings and groups of which at least one must be set for the file to be managed.
    package let when: [SettingPath]
    /// The declaration of the file for the sandbox.
    package let declaration: ManagedFileDeclaration
    /// The reason why its content needs a reboot to take effect, as the end of a sentence; nil if none is needed.
    package let reboot: String?
}

/// An extended attribute of a file: an access control list, a security label or a user attribute. xattr(7)
package struct ExtendedAttribute: Equatable, Sendable {
    /// The full name with its namespace: `system.posix_acl_access`.
    package let name: FileName
    /// The value.
    package let value: [UInt8]

    /// Makes an attribute.
    package init(name: FileName, value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// The access control list, which the kernel sets on a new file if its directory has a default one.
    static let accessList = FileName("system.posix_acl_access")

    /// The most attributes of a managed file, and the most bytes of all names and values.
    static let countLimit = 64
    static let bytesLimit = 128 << 10

    /// Returns true if an attribute of this name is captured; others are the kernel's own or cannot be set.
    static func isKept(_ name: FileName) -> Bool {
        name == accessList || name.bytes.starts(with: "user.".utf8)
            // The EVM signature includes the inode number and fits no other file.
            || name.bytes.starts(with: "security.".utf8) && name != FileName("security.evm")
    }

    /// Returns true if an attribute of this name stays valid when the content changes: no hash of the content, and no
    /// privilege.
    static func outlastsContent(_ name: FileName) -> Bool {
        name != FileName("security.ima") && name != FileName("security.capability")
    }
}

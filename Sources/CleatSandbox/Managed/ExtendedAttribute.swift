/// Names what a file system keeps of a file beside its content and mode: an access list, a security label, a note of a
/// user's.
package struct ExtendedAttribute: Hashable, Sendable {
    /// Its name with its namespace, as the kernel has it: `system.posix_acl_access`.
    package let name: FileName
    /// Its bytes.
    package let value: [UInt8]

    /// Takes a name and bytes.
    package init(name: FileName, value: [UInt8]) {
        self.name = name
        self.value = value
    }

    /// The access list, which the kernel gives to a new file where its directory says so.
    static let accessList = FileName("system.posix_acl_access")

    /// The most attributes that a file may have to be managed, and the most bytes of all of them with their names.
    static let countLimit = 64
    static let bytesLimit = 128 << 10

    /// Whether an attribute of this name belongs to the file; others are the kernel's own, or not to be set.
    static func isKept(_ name: FileName) -> Bool {
        name == accessList || name.bytes.starts(with: "user.".utf8)
            // The kernel's signature of the file's number on its device fits no other file.
            || name.bytes.starts(with: "security.".utf8) && name != FileName("security.evm")
    }

    /// Whether an attribute of this name still fits when the file gets other bytes: no hash of them, and no privilege.
    static func outlastsContent(_ name: FileName) -> Bool {
        name != FileName("security.ima") && name != FileName("security.capability")
    }
}

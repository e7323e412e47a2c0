/// The version of the kernel's Landlock interface, which restricts the files that a child process can write.
///
/// Landlock restricts a process and all its descendants, irrevocably. It came with Linux 5.13 and may be missing from a
/// kernel or disabled at boot. `Documentation/userspace-api/landlock.rst`
package struct Landlock: Sendable, Hashable {
    /// The version of the Landlock ABI; 0 if there is no Landlock.
    package let abi: Int

    /// Makes a value with a given version, for tests.
    package init(abi: Int) { self.abi = max(0, abi) }

    /// The version of the running kernel, read once.
    package static let current = Landlock(abi: Kernel.landlockVersion)

    /// True if the kernel has Landlock.
    package var isSupported: Bool { abi > 0 }

    /// True if `truncate(2)` can be refused, which needs version 3.
    package var holdsTruncation: Bool { handled.contains(.truncate) }

    /// The rights of `LANDLOCK_ACCESS_FS_*` that are about writing.
    struct Rights: OptionSet, Sendable, Hashable {
        var rawValue: UInt64

        static let writeFile = Rights(rawValue: 1 << 1)
        static let removeDirectory = Rights(rawValue: 1 << 4)
        static let removeFile = Rights(rawValue: 1 << 5)
        static let makeCharacterDevice = Rights(rawValue: 1 << 6)
        static let makeDirectory = Rights(rawValue: 1 << 7)
        static let makeFile = Rights(rawValue: 1 << 8)
        static let makeSocket = Rights(rawValue: 1 << 9)
        static let makeFIFO = Rights(rawValue: 1 << 10)
        static let makeBlockDevice = Rights(rawValue: 1 << 11)
        static let makeLink = Rights(rawValue: 1 << 12)
        /// Linking and renaming between directories.
        static let refer = Rights(rawValue: 1 << 13)
        static let truncate = Rights(rawValue: 1 << 14)
        /// `ioctl(2)` on a device that is opened after the restriction is in force.
        static let controlDevice = Rights(rawValue: 1 << 15)

        static let devices: Rights = [.makeCharacterDevice, .makeBlockDevice]
        static let ofFiles: Rights = [.writeFile, .truncate, .controlDevice]
    }

    /// The rights that are refused unless a rule grants them; reading and executing are not restricted.
    var handled: Rights {
        guard isSupported else { return [] }
        var rights: Rights = [
            .writeFile, .removeDirectory, .removeFile, .makeCharacterDevice, .makeDirectory, .makeFile, .makeSocket,
            .makeFIFO, .makeBlockDevice, .makeLink,
        ]
        if abi >= 2 { rights.insert(.refer) }
        if abi >= 3 { rights.insert(.truncate) }
        if abi >= 5 { rights.insert(.controlDevice) }
        return rights
    }

    /// The rights that a rule grants below a directory: all but making device nodes, through which any device could be
    /// written.
    var grantedBelowDirectory: Rights { handled.subtracting(.devices) }

    /// The rights that a rule grants on a single file.
    var grantedOnFile: Rights { handled.intersection(.ofFiles) }
}

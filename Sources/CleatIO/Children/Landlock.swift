/// Says what the kernel can keep a child process from writing: the version of its Landlock interface.
///
/// Landlock binds a process and all that it starts, for good. It came with Linux 5.13 and may be left out of a kernel or
/// turned off at boot. `Documentation/userspace-api/landlock.rst`
package struct Landlock: Sendable, Hashable {
    /// The version of the interface; 0 where there is none.
    package let abi: Int

    /// Makes a value for a version, for tests.
    package init(abi: Int) { self.abi = max(0, abi) }

    /// What the running kernel has; it is asked once.
    package static let current = Landlock(abi: Kernel.landlockVersion)

    /// Whether there is any.
    package var isSupported: Bool { abi > 0 }

    /// What it cannot refuse though it is a way of writing: `truncate(2)` before version 3.
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
        /// Linking and renaming from one directory to another.
        static let refer = Rights(rawValue: 1 << 13)
        static let truncate = Rights(rawValue: 1 << 14)
        /// `ioctl(2)` on a device that is opened from now on.
        static let controlDevice = Rights(rawValue: 1 << 15)

        static let devices: Rights = [.makeCharacterDevice, .makeBlockDevice]
        static let ofFiles: Rights = [.writeFile, .truncate, .controlDevice]
    }

    /// What is refused wherever no rule grants it; reading and executing are free.
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

    /// What a rule grants below a directory: all but device nodes, through which anything could be written.
    var grantedBelowDirectory: Rights { handled.subtracting(.devices) }

    /// What a rule grants on a single file.
    var grantedOnFile: Rights { handled.intersection(.ofFiles) }
}

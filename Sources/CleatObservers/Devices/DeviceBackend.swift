/// The ways to hear of devices.
package enum DeviceBackend: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// libudev's monitor, behind udevd.
    case libudev
    /// udevd's netlink group: permissions, links and names are set when a message comes.
    case udevdGroup = "netlink-udevd"
    /// The kernel's netlink group, for boards without udevd.
    case kernelGroup = "netlink-kernel"

    /// What `cleat status` shows.
    package var description: String {
        switch self {
        case .libudev: "libudev"
        case .udevdGroup: "netlink udevd group"
        case .kernelGroup: "netlink kernel group"
        }
    }

    /// Whether this build has it.
    package var isBuiltIn: Bool {
        #if Udev
            true
        #else
            self != .libudev
        #endif
    }

    /// Returns what suits the machine: libudev where this build has it and a udevd runs (its control socket exists),
    /// udevd's group where only the latter holds, else the kernel's.
    package static func automatic(udevdRuns: Bool) -> DeviceBackend {
        guard udevdRuns else { return .kernelGroup }
        return DeviceBackend.libudev.isBuiltIn ? .libudev : .udevdGroup
    }
}

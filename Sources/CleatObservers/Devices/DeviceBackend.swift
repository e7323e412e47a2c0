/// The sources of device events.
package enum DeviceBackend: String, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// libudev's monitor, behind udevd.
    case libudev
    /// udevd's netlink group; udevd has set permissions, links and names before it sends a message.
    case udevdGroup = "netlink-udevd"
    /// The kernel's netlink group, for boards without udevd.
    case kernelGroup = "netlink-kernel"

    /// The name that `cleat status` shows.
    package var description: String {
        switch self {
        case .libudev: "libudev"
        case .udevdGroup: "netlink udevd group"
        case .kernelGroup: "netlink kernel group"
        }
    }

    /// Returns the source for this machine.
    ///
    /// That is libudev if the program links it and udevd runs (``Sysfs/udevd``), udevd's group if udevd runs
    /// without libudev, otherwise the kernel's group.
    package static func automatic(udevdRuns: Bool, hasLibudev: Bool) -> DeviceBackend {
        if !udevdRuns { .kernelGroup } else if hasLibudev { .libudev } else { .udevdGroup }
    }
}

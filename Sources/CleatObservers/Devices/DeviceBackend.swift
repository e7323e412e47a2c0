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

    /// True if this build includes the source.
    package var isBuiltIn: Bool {
        #if Udev
            true
        #else
            self != .libudev
        #endif
    }

    /// Returns the source for this machine.
    ///
    /// That is libudev if this build includes it and udevd runs (its control socket exists), udevd's group if udevd
    /// runs but libudev is not built in, otherwise the kernel's group.
    package static func automatic(udevdRuns: Bool) -> DeviceBackend {
        guard udevdRuns else { return .kernelGroup }
        return DeviceBackend.libudev.isBuiltIn ? .libudev : .udevdGroup
    }
}

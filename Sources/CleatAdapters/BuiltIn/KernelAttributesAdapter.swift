package import CleatSettings

/// Sets attributes of devices, which are files below `/sys`.
///
/// They last until the next boot, when they are set again.
package struct KernelAttributesAdapter: Adapter {
    private static let path = BuiltIn.path("kernel/attributes")
    /// Attributes elsewhere below `/sys` can make the kernel run programs.
    private static let places = ["block/", "class/", "devices/"]

    /// `kernel-attributes`.
    package let name = "kernel-attributes"
    /// `kernel/attributes`.
    package let prefixes = [Self.path]

    /// Creates the adapter.
    package init() {}

    /// Wants each attribute as it is set.
    package func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        for setting in settings.inForce(under: Self.path) {
            guard setting.path != Self.path, let value = setting.value else { continue }
            let name = setting.path.name
            guard KernelValue.isPlain(name), Self.places.contains(where: { name.hasPrefix($0) }) else {
                desired.refuse(
                    setting.path,
                    "is no attribute of a device; name one by its path below /sys, such as class/net/eth0/tx_queue_len")
                continue
            }
            guard let text = KernelValue.text(value) else {
                desired.refuse(setting.path, "has a control character; leave it out")
                continue
            }
            desired.want(.attribute("/sys/" + name), .text(text), for: setting.path)
        }
        return desired
    }

    /// Returns the kernel's value as text.
    package func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String? {
        guard case .attribute = wanted.resource else { return nil }
        return String(validating: content, as: UTF8.self)
    }
}

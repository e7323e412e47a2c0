internal import CleatJSON
package import CleatSettings

/// Sets attributes of devices, which are files below `/sys`.
///
/// They last until the next boot, when they are set again.
package struct KernelAttributesAdapter: LiveAdapter {
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
            guard Self.isAttribute(name) else {
                desired.refuse(
                    setting.path,
                    "is not an attribute of a device; name one by its path below /sys, such as class/net/eth0/tx_queue_len"
                )
                continue
            }
            guard let text = KernelValue.text(value) else {
                desired.refuse(setting.path, "has a control character; remove it")
                continue
            }
            desired.want(.attribute("/sys/" + name), .text(text), for: setting.path)
        }
        return desired
    }

    private static func isAttribute(_ name: String) -> Bool {
        KernelValue.isPlain(name) && places.contains { name.hasPrefix($0) }
    }

    /// Returns the attributes that are set, or the one that is requested.
    package func live(
        _ scope: LiveScope, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [LiveValue] {
        var values: [LiveValue] = []
        for name in scope.names(below: Self.path, settings) where Self.isAttribute(name) {
            guard let path = try? Self.path.appending(name) else { continue }
            if let value = try system.live(attribute: "/sys/" + name, at: path, settings) { values.append(value) }
        }
        return values
    }

    /// Returns the kernel's value as text.
    package func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String? {
        guard case .attribute = wanted.resource else { return nil }
        return String(validating: content, as: UTF8.self)
    }
}

/// Converts the value of a setting to the form that the kernel accepts.
enum KernelValue {
    /// Returns a whole number in decimal, a Boolean as 1 or 0, and a text unchanged.
    ///
    /// It returns nil for other values, and for a text with a control character, as a line feed would start another
    /// line of a file.
    static func text(_ value: JSONValue) -> String? {
        switch value {
        case .bool(let isOn): isOn ? "1" : "0"
        case .string(let text): text.utf8.contains { $0 < 0x20 || $0 == 0x7f } ? nil : text
        default: value.integerValue.map { String($0) }
        }
    }

    /// Returns true if a relative path has no empty, `.` or `..` names.
    static func isPlain(_ path: some StringProtocol) -> Bool {
        !path.isEmpty
            && path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
                !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
            }
    }
}

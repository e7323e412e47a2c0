package import CleatSandbox
package import CleatSettings

/// Sets kernel parameters: at once below `/proc/sys`, and for the next boot in `/etc/sysctl.d/60-cleat.conf`.
package struct SysctlAdapter: RestrictedAdapter, LiveAdapter {
    private static let path = BuiltIn.path("kernel/sysctl")
    private static let file = "/etc/sysctl.d/60-cleat.conf"

    /// `sysctl`.
    package let name = "sysctl"
    /// `kernel/sysctl`.
    package let prefixes = [Self.path]
    /// `/etc/sysctl.d/60-cleat.conf`.
    package let files = [BuiltIn.file(Self.file, makesParents: true)].compactMap(\.self)

    /// Creates the adapter.
    package init() {}

    /// Wants the file first: a board that cannot store a value does not use it either.
    package func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        var values: [(name: SysctlName, value: String, path: SettingPath)] = []
        var known: [String: SettingPath] = [:]
        for setting in settings.inForce(under: Self.path) {
            guard setting.path != Self.path, let value = setting.value else { continue }
            guard let name = SysctlName(setting.path.name) else {
                desired.refuse(
                    setting.path, "is not the name of a kernel parameter; write it as “net.ipv4.ip_forward”")
                continue
            }
            if let reason = name.reasonNotToSet {
                desired.refuse(setting.path, reason)
                continue
            }
            guard let text = KernelValue.text(value) else {
                desired.refuse(setting.path, "has a control character; remove it")
                continue
            }
            if let other = known.updateValue(setting.path, forKey: name.path) {
                desired.refuse(setting.path, "means the same parameter as \(other); unset one of the two")
                continue
            }
            values.append((name, text, setting.path))
        }
        guard let first = values.first else { return desired }
        let lines = values.map { "\($0.name.text) = \($0.value)\n" }
        desired.want(
            .file(Self.file), .file("\(WrittenByCleat.mark)kernel/sysctl.\n" + lines.joined()), for: first.path)
        for value in values {
            desired.want(.attribute("/proc/sys/" + value.name.path), .text(value.value), for: value.path)
        }
        return desired
    }

    /// Returns the parameters that are set, or the one that is requested.
    package func live(
        _ scope: LiveScope, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [LiveValue] {
        var values: [LiveValue] = []
        for name in scope.names(below: Self.path, settings) {
            guard let path = try? Self.path.appending(name), let parameter = SysctlName(name) else { continue }
            if let value = try system.live(attribute: "/proc/sys/" + parameter.path, at: path, settings) {
                values.append(value)
            }
        }
        return values
    }

    /// Returns true if a member of group `cleat` may set a parameter, by its subtree.
    package func isForOperators(_ path: SettingPath) -> Bool {
        path == Self.path || SysctlName(path.name)?.isForOperators ?? true
    }

    /// Returns the kernel's value as text.
    package func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String? {
        guard case .attribute = wanted.resource else { return nil }
        return String(validating: content, as: UTF8.self)
    }
}

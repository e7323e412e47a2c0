internal import CleatJSON
package import CleatSandbox
package import CleatSettings

/// Sets the host name: in `/etc/hostname`, in the board's own line of `/etc/hosts` as Debian writes it, and in the
/// kernel.
package struct HostNameAdapter: LiveAdapter {
    /// The address that Debian gives the board's own name if it has no fixed one.
    static let ownAddress = "127.0.1.1"
    private static let path = BuiltIn.path("system/hostname")

    /// `host-name`.
    package let name = "host-name"
    /// `system/hostname`.
    package let prefixes = [Self.path]
    /// `/etc/hostname` and `/etc/hosts`.
    package let files = [BuiltIn.file("/etc/hostname", makesParents: true), BuiltIn.file("/etc/hosts")].compactMap(
        \.self)

    /// Creates the adapter.
    package init() {}

    /// Wants the files before the kernel's name: a board that cannot store the name does not use it either.
    package func desired(_ settings: LayeredSettings) -> DesiredState {
        var desired = DesiredState()
        guard let name = settings.inForce(Self.path)?.stringValue else { return desired }
        desired.want(.file("/etc/hostname"), .file(name + "\n"), for: Self.path)
        let short = name.split(separator: ".", maxSplits: 1).first.map(String.init) ?? name
        let names = short == name ? name : "\(name)\t\(short)"
        desired.want(
            .line("/etc/hosts", word: Self.ownAddress), .text("\(Self.ownAddress)\t\(names)"), for: Self.path)
        desired.want(.hostName, .text(name), for: Self.path)
        return desired
    }

    /// Returns the kernel's name; below a root directory that of `/etc/hostname`.
    package func live(
        _ scope: LiveScope, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [LiveValue] {
        let resource = system.isRunning ? Resource.hostName : .file("/etc/hostname")
        guard let content = try system.content(of: resource), let name = Self.name(in: content) else { return [] }
        return [LiveValue(path: Self.path, value: .string(name))]
    }

    /// Returns the only word of a content; nil if there are more.
    static func name(in content: [UInt8]) -> String? {
        let words = content.split { $0 == 0x20 || (0x09...0x0d).contains($0) }
        return words.count == 1 ? words.first.flatMap { String(validating: $0, as: UTF8.self) } : nil
    }

    /// Returns the name from the kernel, or from `/etc/hostname` if it is the only word there.
    package func adopted(_ wanted: DesiredState.Wanted, _ content: [UInt8]) -> String? {
        switch wanted.resource {
        case .hostName, .file("/etc/hostname"): return Self.name(in: content)
        default: return nil
        }
    }
}

package import CleatJSON
package import CleatSettings

extension NetworkManagerAdapter {
    /// Returns the profile of others that is active, or names the interface.
    package func others(of interface: String, on system: SystemResources) throws(ResourceError) -> String? {
        try ConnectionProfile.owner(of: interface, among: try ConnectionProfile.all(on: system), on: system)?.words
    }
}

extension NetworkManagerAdapter {
    /// Returns those that systemd-resolved has of the interface; without it those that are set and in NetworkManager's
    /// file, which does not name interfaces.
    package func liveResolver(
        of interface: String, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [(key: String, value: JSONValue)] {
        if let index = try system.value(ofAttribute: "/sys/class/net/\(interface)/ifindex"),
            let text = try system.text(of: "/run/systemd/resolve/netif/\(index)")
        {
            return NetworkdFile.resolver(NetworkdFile.values(text), "SERVERS", "DOMAINS")
        }
        return try setResolver(of: interface, settings, in: "/run/NetworkManager/resolv.conf", on: system)
    }
}

extension NetworkdAdapter {
    /// Returns those that systemd-networkd has given to the resolver, of files and leases.
    package func liveResolver(
        of interface: String, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [(key: String, value: JSONValue)] {
        try NetworkdFile.state(of: interface, on: system).map { NetworkdFile.resolver($0, "DNS", "DOMAINS") } ?? []
    }

    /// Returns the file by which systemd-networkd configures the interface.
    package func others(of interface: String, on system: SystemResources) throws(ResourceError) -> String? {
        try NetworkdFile.file(of: interface, on: system)?.path
    }
}

extension IfupdownAdapter {
    /// Returns the file that defines the interface.
    package func others(of interface: String, on system: SystemResources) throws(ResourceError) -> String? {
        for path in try definingFiles(on: system) {
            if Self.defined(in: try system.text(of: path) ?? "").contains(interface) { return path }
        }
        return nil
    }

    /// Returns the files that may define interfaces, without Cleat's own.
    func definingFiles(on system: SystemResources) throws(ResourceError) -> [String] {
        [Self.main] + (try system.paths("\(Self.directory)/*")).filter { !$0.hasPrefix("\(Self.directory)/cleat-") }
    }
}

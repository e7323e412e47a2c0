package import CleatJSON
package import CleatSettings

extension NetworkManagerAdapter {
    /// Returns the profile of others that is active, or names the interface.
    package func others(of interface: String, on system: SystemResources) throws(ResourceError) -> String? {
        try ConnectionProfile.owner(of: interface, among: try ConnectionProfile.all(on: system), on: system)?.words
    }
}

extension NetworkManagerAdapter {
    /// Returns nothing: NetworkManager's files show those of all interfaces together.
    package func liveResolver(
        of interface: String, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [(key: String, value: JSONValue)] { [] }
}

extension NetworkdAdapter {
    /// Returns those that systemd-networkd has given to the resolver, of files and leases.
    package func liveResolver(
        of interface: String, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [(key: String, value: JSONValue)] {
        let state = try NetworkdFile.state(of: interface, on: system)
        return [("dns", "DNS"), ("search", "DOMAINS")].compactMap { key, word in
            state?[word].map { value in
                (key, .array(value.split(separator: " ").map { .string(String($0)) }))
            }
        }
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

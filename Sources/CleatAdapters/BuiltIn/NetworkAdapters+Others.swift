extension NetworkManagerAdapter {
    /// Returns the profile of others that is active, or names the interface.
    package func others(of interface: String, on system: SystemResources) throws(ResourceError) -> String? {
        try ConnectionProfile.owner(of: interface, among: try ConnectionProfile.all(on: system), on: system)?.words
    }
}

extension NetworkdAdapter {
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

package import CleatJSON
package import CleatSettings

/// Addresses that interfaces keep while a change is on trial, by the names of the interfaces.
package typealias KeptAddresses = [String: [InterfaceAddress]]

/// An adapter for `network/interfaces`; the four differ in the service, or kernel interface, that they configure.
package protocol NetworkAdapter: DefaultingAdapter, LiveAdapter {
    /// Returns the desired state while the change is on trial.
    ///
    /// Interfaces keep their former addresses, so that a client that uses an old address can still reach the board and
    /// confirm.
    ///
    /// - Parameters:
    ///   - settings: the settings with the change.
    ///   - kept: the addresses that each interface had before.
    /// - Returns: the state as without a trial, with the kept addresses.
    func desired(_ settings: LayeredSettings, keeping kept: KeptAddresses) -> DesiredState

    /// Returns the state that the kernel must show of each interface that a service configures; empty if no service
    /// does.
    func configured(_ settings: LayeredSettings) -> [ConfiguredInterface]

    /// Returns the name servers and search domains of an interface in the system, as settings would express them.
    ///
    /// - Parameters:
    ///   - interface: the interface's name.
    ///   - settings: the settings in force.
    ///   - system: the system, which is only read.
    /// - Returns: the values by the last segments of their paths; none if they are not known.
    /// - Throws: the reason why they could not be read.
    func liveResolver(
        of interface: String, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [(key: String, value: JSONValue)]

    /// Returns the settings that are equal to the configuration of others by which the service configures an interface.
    ///
    /// - Parameters:
    ///   - interface: the interface's name.
    ///   - system: the system, which is only read.
    /// - Returns: one difference for each setting, or for each part that settings cannot express; nil if there is no
    ///   such configuration, or if it cannot be taken over.
    /// - Throws: the reason why it could not be read.
    func foreign(_ interface: String, on system: SystemResources) throws(ResourceError) -> [InterfaceDifference]?

    /// Returns the file or the profile of others by which the service configures an interface; nil if there is none.
    ///
    /// - Throws: the reason why it could not be read.
    func others(of interface: String, on system: SystemResources) throws(ResourceError) -> String?
}

extension NetworkAdapter {
    /// Returns nil: the configuration of others is not taken over.
    package func foreign(
        _ interface: String, on system: SystemResources
    ) throws(ResourceError) -> [InterfaceDifference]? { nil }

    /// Returns those that are set and in the resolver's file, which does not name interfaces (resolv.conf(5)).
    package func liveResolver(
        of interface: String, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [(key: String, value: JSONValue)] {
        try setResolver(of: interface, settings, in: "/etc/resolv.conf", on: system)
    }

    /// Returns those that are set and in a file of the format of resolv.conf(5).
    func setResolver(
        of interface: String, _ settings: LayeredSettings, in file: String, on system: SystemResources
    ) throws(ResourceError) -> [(key: String, value: JSONValue)] {
        guard let set = InterfaceSettings.all(in: settings).first(where: { $0.name == interface }) else { return [] }
        let lines = (try system.text(of: file) ?? "").split(separator: "\n").map {
            $0.split(whereSeparator: \.isWhitespace).map(String.init)
        }
        let servers = lines.filter { $0.count > 1 && $0[0] == "nameserver" }.map { $0[1] }
        let domains = lines.last { $0.first == "search" }?.dropFirst() ?? []
        return [
            ("dns", set.resolver.dns.map { $0.map(\.description).filter { servers.contains($0) } }),
            ("search", set.resolver.search.map { $0.filter { domains.contains($0) } }),
        ].compactMap { key, words in words.map { (key, .array($0.map { .string($0) })) } }
    }

    /// Returns nothing: no service is involved.
    package func configured(_ settings: LayeredSettings) -> [ConfiguredInterface] { [] }

    /// Returns nil: no other program configures interfaces.
    package func others(of interface: String, on system: SystemResources) throws(ResourceError) -> String? { nil }

    /// `network/interfaces`.
    package var prefixes: [SettingPath] { [InterfaceSettings.path] }

    /// Returns true for `enabled` and `dhcp` if an interface has other settings: its file states both, also if they are
    /// unset; for `dhcp` it must have no fixed addresses.
    ///
    /// The same is true of the settings of a Wi-Fi network.
    package func usesDefault(of path: SettingPath, _ settings: LayeredSettings) -> Bool {
        guard !files.isEmpty, path.segments.count >= 4, let interface = path.parent else { return false }
        if path.segments.count == 6 { return !settings.inForce(under: interface).isEmpty }
        let set = settings.inForce(under: interface)
        switch path.segments[3] {
        case "enabled": return !set.isEmpty
        case "dhcp":
            let addresses = set.first { $0.path.segments.last == "addresses" }?.value?.arrayValue ?? []
            return !set.isEmpty && addresses.isEmpty
        default: return false
        }
    }

    /// Returns the kernel's state of each interface, whatever configures it.
    ///
    /// The gateway is that of the default route with the least metric, of IPv4 if there is one.
    package func live(
        _ scope: LiveScope, _ settings: LayeredSettings, on system: SystemResources
    ) throws(ResourceError) -> [LiveValue] {
        guard system.isRunning else { return [] }
        var values: [LiveValue] = []
        let path = InterfaceSettings.path
        for name in try scope.devices(ofClass: "net", below: path, on: system)
        where KernelValue.isPlain(name) {
            guard let present = try system.interface(name) else { continue }
            let isVirtual = try system.linkType(of: name).flatMap { VirtualLink(type: $0) } != nil
            let link = isVirtual ? try VirtualLinkResource(name: name).link(on: system)?.values ?? [] : []
            let names = try liveResolver(of: name, settings, on: system)
            let kernel = try KernelExpectation.liveValues(of: name, on: system)
            values += (present.liveValues + kernel + names + link).compactMap { key, value in
                InterfaceSettings.path(name, key).map { LiveValue(path: $0, value: value) }
            }
        }
        return values
    }

    /// Returns the desired state without a trial.
    package func desired(_ settings: LayeredSettings) -> DesiredState { desired(settings, keeping: [:]) }

    /// Wants a file for each interface that has settings, and the present MTU to be captured.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - kept: the addresses that are kept after those that are set.
    ///   - nameReason: the error for an interface whose name is not valid in a file name or pattern.
    ///   - contents: returns the files of an interface, and their desired states.
    /// - Returns: the desired state, and the problems of the settings.
    func desiredFiles(
        _ settings: LayeredSettings, keeping kept: KeptAddresses, refusingNames nameReason: String,
        _ contents: (InterfaceSettings) -> [(Resource, ResourceState)]
    ) -> DesiredState {
        var desired = DesiredState()
        let interfaces = InterfaceSettings.all(in: settings, keeping: kept)
        InterfaceSettings.checkAll(interfaces, &desired)
        for interface in interfaces {
            interface.check(&desired)
            guard interface.hasPlainName else {
                desired.refuse(interface.path, nameReason)
                continue
            }
            for (resource, state) in contents(interface) { desired.want(resource, state, for: interface.path) }
            interface.keepKernelValues(&desired)
        }
        return desired
    }

    /// Returns the settings that the restored files define: without those of interfaces whose file is absent.
    func restored(_ mementos: [Memento], for settings: LayeredSettings) -> LayeredSettings {
        let absent = Set(mementos.filter(\.isAbsentFile).map(\.resource))
        let undefined = configured(settings).filter { absent.isSuperset(of: $0.files) }.compactMap(\.path.parent)
        if undefined.isEmpty { return settings }
        return settings.forgetting(undefined.flatMap { settings.inForce(under: $0).map(\.path) })
    }
}

extension AdapterAction {
    /// Returns true if it would check for a state that the restored file does not define.
    func isRefuted(by mementos: [Memento], _ desired: DesiredState) -> Bool {
        guard case .interface(let action) = self, case .check(let interface) = action.kind,
            !interface.files.isEmpty
        else { return false }
        return mementos.contains { memento in
            guard interface.files.contains(memento.resource), let state = desired[memento.resource] else {
                return false
            }
            return memento.differs(from: state) != false
        }
    }
}

internal import CleatJSON
package import CleatSettings

/// An adapter that has interfaces be what `network/interfaces` says: the three differ in who is told, and how.
package protocol InterfaceConfiguring: Adapter {
    /// Says what the kernel must show of each interface that a service configures for it; nothing where none does.
    func configured(_ settings: LayeredSettings) -> [ConfiguredInterface]
}

extension InterfaceConfiguring {
    /// No service is told.
    package func configured(_ settings: LayeredSettings) -> [ConfiguredInterface] { [] }

    /// `network/interfaces`.
    package var prefixes: [SettingPath] { [InterfaceSettings.path] }

    /// The file of an interface says whether it is brought up and asks for an address, also where the settings do not.
    package func usesDefault(of path: SettingPath, _ settings: LayeredSettings) -> Bool {
        guard !files.isEmpty, path.segments.count == 4, let interface = path.parent else { return false }
        let set = settings.inForce(under: interface)
        switch path.segments[3] {
        case "enabled": return !set.isEmpty
        case "dhcp":
            let addresses = set.first { $0.path.segments.last == "addresses" }?.value?.arrayValue ?? []
            return !set.isEmpty && addresses.isEmpty
        default: return false
        }
    }

    /// What it wants without a trial.
    package func desired(_ settings: LayeredSettings) -> DesiredState { desired(settings, keeping: [:]) }

    /// Those whose addresses are set otherwise.
    package func readdressed(from old: LayeredSettings, to new: LayeredSettings) -> [String] {
        InterfaceSettings.readdressed(from: old, to: new)
    }

    /// What becomes of the addresses of interfaces.
    package func effects(
        from old: LayeredSettings, to new: LayeredSettings, on system: SystemResources
    ) -> [String] {
        InterfaceSettings.effects(from: old, to: new) { name in
            // A plan that does not name the present address is better than none.
            (try? system.interface(name))?.addressText
        }
    }

    /// Wants a file for each interface of which something is set, and its MTU to be captured.
    ///
    /// - Parameters:
    ///   - settings: the settings.
    ///   - kept: the addresses that are kept behind those that are set.
    ///   - nameReason: why an interface is refused whose name is none for a file or a pattern.
    ///   - file: the file of an interface, and its text.
    /// - Returns: what is wanted, and what is wrong with the settings.
    func desiredFiles(
        _ settings: LayeredSettings, keeping kept: KeptAddresses, refusingNames nameReason: String,
        _ file: (InterfaceSettings) -> (Resource, String)
    ) -> DesiredState {
        var desired = DesiredState()
        let interfaces = InterfaceSettings.all(in: settings, keeping: kept)
        InterfaceSettings.checkRoutes(of: interfaces, &desired)
        for interface in interfaces {
            interface.check(&desired)
            guard interface.hasPlainName else {
                desired.refuse(interface.path, nameReason)
                continue
            }
            let (resource, text) = file(interface)
            desired.want(resource, .file(text), for: interface.path)
            interface.keepMTU(&desired)
        }
        return desired
    }
}

extension InterfaceConfiguring {
    /// The settings as far as the files say them that were brought back: one that is not there defines no interface,
    /// whatever is set of it.
    func restored(_ mementos: [Memento], for settings: LayeredSettings) -> LayeredSettings {
        let absent = Set(mementos.filter(\.isAbsentFile).map(\.resource))
        let undefined = configured(settings).filter { absent.contains($0.file) }.compactMap(\.path.parent)
        if undefined.isEmpty { return settings }
        return settings.forgetting(undefined.flatMap { settings.inForce(under: $0).map(\.path) })
    }
}

extension AdapterAction {
    /// Whether it would ask the kernel for what the file that was brought back does not say.
    func isRefuted(by mementos: [Memento], _ desired: DesiredState) -> Bool {
        guard case .interface(let action) = self, case .check(let interface) = action.kind,
            let memento = mementos.first(where: { $0.resource == interface.file }),
            let state = desired[interface.file]
        else { return false }
        return memento.differs(from: state) != false
    }
}

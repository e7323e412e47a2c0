package import CleatSettings

/// An adapter that has interfaces be what `network/interfaces` says: the three differ in who is told, and how.
package protocol InterfaceConfiguring: Adapter {}

extension InterfaceConfiguring {
    /// `network/interfaces`.
    package var prefixes: [SettingPath] { [InterfaceSettings.path] }

    /// What it wants without a trial.
    package func desired(_ settings: LayeredSettings) -> DesiredState { desired(settings, keeping: [:]) }

    /// Those whose addresses are set otherwise.
    package func readdressed(from old: LayeredSettings, to new: LayeredSettings) -> [String] {
        InterfaceSettings.readdressed(from: old, to: new)
    }

    /// What becomes of the addresses of interfaces.
    package func effects(from old: LayeredSettings?, to new: LayeredSettings) -> [String] {
        InterfaceSettings.effects(from: old, to: new)
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

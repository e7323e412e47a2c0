internal import CleatSandbox
package import CleatSettings

/// An adapter for settings of which this board supports none or not all; unsupported ones are refused when they are
/// set.
package protocol PartialAdapter: Adapter {
    /// Returns the reason why a setting below ``Adapter/prefixes`` is not supported; nil if it is.
    ///
    /// The reason is the end of a sentence that begins with the path.
    func reasonNotToFollow(_ path: SettingPath) -> String?
}

extension AdapterSet {
    /// Returns the reason why one of Cleat's own settings is not supported; nil if it is, or belongs to an application.
    package func reasonNotToFollow(_ path: SettingPath) -> String? {
        if let parent = path.parent, parent.parent == InterfaceSettings.path, heldInterfaces.contains(parent.name) {
            return
                "waits with the other settings of \(parent.name), which were made when another service ran the network; see "
                + "'cleat drift', and apply those first with 'cleat reapply', or unset them"
        }
        for case let adapter as any PartialAdapter in adapters where adapter.follows(path) {
            if let reason = adapter.reasonNotToFollow(path) { return reason }
        }
        return nil
    }

    /// Returns the stored settings that are not supported, and the reasons.
    package func unfollowed(_ settings: LayeredSettings) -> [(path: SettingPath, reason: String)] {
        var found: [SettingPath: String] = [:]
        for case let adapter as any PartialAdapter in adapters {
            for layer in [ResolvedSetting.Origin.committed, .volatile] {
                for row in adapter.prefixes.flatMap({ settings[layer].rows(under: $0) }) {
                    found[row.path] = adapter.reasonNotToFollow(row.path)
                }
            }
        }
        return found.sorted { $0.key < $1.key }.map { (path: $0.key, reason: $0.value) }
    }
}

/// Refuses the settings of interfaces on a board where NetworkManager manages them.
struct NetworkManagerAdapter: PartialAdapter {
    let name = "network-manager"
    let prefixes = [InterfaceSettings.path]
    /// The files that other adapters may have written, so that they can be restored; this one writes none.
    let files: [ManagedFileDeclaration]

    /// Wants nothing.
    func desired(_ settings: LayeredSettings) -> DesiredState { DesiredState() }

    func reasonNotToFollow(_ path: SettingPath) -> String? {
        "cannot be followed: NetworkManager runs the network of this board, and Cleat configures nothing beside it; set it "
            + "there (nmcli), or have systemd-networkd or ifupdown run the network"
    }
}

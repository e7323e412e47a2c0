internal import CleatSandbox
package import CleatSettings

/// An adapter for settings that nothing on this board can follow, or not all of them: they are refused when they are set.
package protocol PartialAdapter: Adapter {
    /// Says why nothing follows a setting below ``Adapter/prefixes``: the end of a sentence that begins with the path; nil
    /// where something does.
    func reasonNotToFollow(_ path: SettingPath) -> String?
}

extension AdapterSet {
    /// Says why nothing can follow a setting of Cleat's own; nil where something does, or it is an application's.
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

    /// The stored settings that nothing can follow, and why.
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

/// Stands for NetworkManager, which has charge of the interfaces: Cleat configures nothing beside it.
struct NetworkManagerAdapter: PartialAdapter {
    let name = "network-manager"
    let prefixes = [InterfaceSettings.path]
    /// None: what other adapters have written is brought back by the files that they declare.
    let files: [ManagedFileDeclaration]

    /// Wants nothing.
    func desired(_ settings: LayeredSettings) -> DesiredState { DesiredState() }

    func reasonNotToFollow(_ path: SettingPath) -> String? {
        "cannot be followed: NetworkManager runs the network of this board, and Cleat configures nothing beside it; set it "
            + "there (nmcli), or have systemd-networkd or ifupdown run the network"
    }
}

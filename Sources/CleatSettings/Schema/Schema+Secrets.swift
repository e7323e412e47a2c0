package import CleatJSON

extension Schema {
    /// Returns true if the value at a path must not be shown.
    ///
    /// That holds for a secret, for a value inside a secret, and for a path without a description: a removed schema may
    /// have declared it as a secret. A former name is treated like the present one.
    package func hides(_ path: SettingPath) -> Bool {
        switch place(of: path) {
        case .setting(let node), .group(let node), .entry(let node): return node.isSecret
        default:
            // A place that accepts any value has no description of it.
            guard let name = newName(of: path), let node = lookup(name), !node.types.isEmpty else { return true }
            return node.isSecret
        }
    }
}

extension SchemaNode {
    /// True if the node is a secret, or a group or map that contains one.
    package var holdsSecrets: Bool {
        if isSecret { return true }
        guard isInterior else { return false }
        return object.properties.contains { $0.node.holdsSecrets } || object.entryKinds.contains { $0.holdsSecrets }
    }
}

extension LayeredSettings {
    /// Returns the values in force below a group, defaults included, that a filter lets through; nil if there are none.
    package func value(at path: SettingPath, telling isTold: (ResolvedSetting) -> Bool) -> JSONValue? {
        let rows = list(under: path).compactMap { setting in
            isTold(setting) ? setting.value.map { (setting.path, $0) } : nil
        }
        return SettingsTree(rows).value(at: path)
    }
}

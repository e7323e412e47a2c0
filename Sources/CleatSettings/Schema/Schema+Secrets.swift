package import CleatJSON

extension Schema {
    /// Whether what a path holds must not be shown: it is a secret, stands inside one, or nothing says what it is.
    ///
    /// What a schema that is gone called a secret is one still, so nothing that no schema describes is shown. A former
    /// name is that of a setting that the schema describes, and hides no more than that one does.
    package func hides(_ path: SettingPath) -> Bool {
        switch place(of: path) {
        case .setting(let node), .group(let node), .entry(let node): return node.isSecret
        default:
            // Where anything may stand, nothing is said about what does.
            guard let name = newName(of: path), let node = lookup(name), !node.types.isEmpty else { return true }
            return node.isSecret
        }
    }
}

extension SchemaNode {
    /// Whether it is a secret, or a group or map with one in it.
    package var holdsSecrets: Bool {
        if isSecret { return true }
        guard isInterior else { return false }
        return object.properties.contains { $0.node.holdsSecrets } || object.entryKinds.contains { $0.holdsSecrets }
    }
}

extension LayeredSettings {
    /// What holds below a group, defaults included, as far as it is to be told; nil where nothing is.
    package func value(at path: SettingPath, telling isTold: (ResolvedSetting) -> Bool) -> JSONValue? {
        let rows = list(under: path).compactMap { setting in
            isTold(setting) ? setting.value.map { (setting.path, $0) } : nil
        }
        return SettingsTree(rows).value(at: path)
    }
}

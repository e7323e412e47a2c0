extension Schema {
    /// Returns true if a setting, or a group that contains it, should no longer be used.
    package func isDeprecated(_ path: SettingPath) -> Bool {
        (1...path.count).contains { lookup(path.beginning($0))?.isDeprecated == true }
    }

    /// True if any setting or group should no longer be used.
    package var hasDeprecated: Bool { root.hasDeprecated }
}

extension SchemaNode {
    fileprivate var hasDeprecated: Bool {
        if isDeprecated { return true }
        return object.properties.contains { $0.node.hasDeprecated }
            || object.entryKinds.contains(where: \.hasDeprecated)
    }
}

import CleatJSON
package import CleatSettings

extension SettingDescription {
    /// Says what a path of a schema may hold.
    package init(_ entry: Schema.Entry) {
        // What has a field of its own is not said twice.
        var constraints = entry.node.json
        for keyword in ["type", "title", "description", "default"] { constraints[keyword] = nil }
        self.init(
            path: entry.pattern, types: entry.node.types.names, title: entry.node.title,
            description: entry.node.description, default: entry.node.defaultValue,
            constraints: .object(constraints))
    }
}

extension GroupDescription {
    /// Says what a group of a schema is for; nil where the schema has no words about it.
    package init?(_ group: Schema.Entry) {
        guard group.node.title != nil || group.node.description != nil else { return nil }
        self.init(path: group.pattern, title: group.node.title, description: group.node.description)
    }
}

extension SettingsInterface.Describe.Reply {
    /// Describes all that stands below a prefix.
    ///
    /// - Parameters:
    ///   - prefix: nil for all.
    ///   - schema: what is described.
    package init(describing prefix: SettingPath?, in schema: Schema) {
        self.init(
            descriptions: schema.entries(under: prefix).map(SettingDescription.init),
            groups: schema.groups(under: prefix).compactMap(GroupDescription.init))
    }
}

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

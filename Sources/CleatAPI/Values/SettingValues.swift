package import CleatJSON
package import CleatSettings

extension SettingInfo {
    /// The value for programs that are written against the schema: with all defaults.
    package var complete: JSONValue? { withDefaults ?? value }
}

extension SettingDescription {
    /// Creates the description of a path from its entry in a schema.
    package init(_ entry: Schema.Entry) {
        // Keywords that have a field of their own are not repeated.
        var constraints = entry.node.json
        for keyword in ["type", "title", "description", "default"] { constraints[keyword] = nil }
        self.init(
            path: entry.pattern, types: entry.node.types.names, title: entry.node.title,
            description: entry.node.description, default: entry.node.defaultValue,
            constraints: .object(constraints))
    }
}

extension SettingDescription {
    /// Returns true if a path matches a pattern such as `network/interfaces/{name}/mtu`, both as segments.
    package static func matches(_ path: [String], _ pattern: [String]) -> Bool {
        path.count == pattern.count && zip(path, pattern).allSatisfy { $0 == $1 || $1.hasPrefix("{") }
    }
}

extension GroupDescription {
    /// Creates the description of a group of a schema; nil if the schema has neither a title nor a description for it.
    package init?(_ group: Schema.Entry) {
        guard group.node.title != nil || group.node.description != nil else { return nil }
        self.init(path: group.pattern, title: group.node.title, description: group.node.description)
    }
}

extension SettingsInterface.Describe.Reply {
    /// Describes all paths and groups below a prefix.
    ///
    /// - Parameters:
    ///   - prefix: The prefix; nil for all.
    ///   - schema: The schema.
    package init(describing prefix: SettingPath?, in schema: Schema) {
        self.init(
            descriptions: schema.entries(under: prefix).map(SettingDescription.init),
            groups: schema.groups(under: prefix).compactMap(GroupDescription.init))
    }
}

extension AdapterResult {
    /// Creates a result; one that was applied is normal, and any other is a warning.
    package init(adapter: String, state: State, message: String) {
        self.init(adapter: adapter, state: state, level: state == .applied ? .normal : .warning, message: message)
    }
}

import CleatJSON
import CleatSettings

/// Joins the schemas of a program's keys to one schema.
struct DeclaredSchema {
    private var root: JSONObject = Self.group
    /// The paths that were added.
    private(set) var paths: Set<SettingPath> = []

    /// The schema as a JSON value.
    var json: JSONValue { .object(root) }

    private static var group: JSONObject { ["type": "object", "properties": [:]] }

    /// Adds the schema of a path.
    ///
    /// Of two at one path the first stays. The path of a key that is part of another key's struct gets the keywords of
    /// both; a path that is an entry of another key's dictionary is described by the dictionary. Shorter paths must be
    /// added first.
    mutating func add(_ schema: JSONObject, at path: SettingPath) {
        if paths.insert(path).inserted { root = Self.adding(schema, at: path.segments[...], to: root) }
    }

    private static func adding(_ new: JSONObject, at path: ArraySlice<String>, to node: JSONObject) -> JSONObject {
        var node = node
        guard let name = path.first else {
            for (keyword, value) in new { node[keyword] = value }
            return node
        }
        var properties = node["properties"]?.objectValue ?? JSONObject()
        let known = properties[name]?.objectValue
        if known == nil, node["additionalProperties"]?.objectValue != nil { return node }
        let below = known ?? (path.count > 1 ? group : JSONObject())
        properties[name] = .object(adding(new, at: path.dropFirst(), to: below))
        node["properties"] = .object(properties)
        return node
    }
}

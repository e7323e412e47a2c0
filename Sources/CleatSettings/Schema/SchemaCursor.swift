/// Finds the places of paths in a schema, and remembers the one above the last path: sorted paths share most of it.
struct SchemaCursor {
    private let schema: Schema
    /// The text of the path above, with its slash.
    private var above = ""
    private var place: Schema.Place
    /// The number of names above.
    private var depth = 0

    init(_ schema: Schema) {
        self.schema = schema
        place = .group(schema.root)
    }

    /// Finds the place of a path.
    mutating func place(of path: SettingPath) -> Schema.Place {
        if !path.isMember(ofPrefix: above) {
            let parent = path.parent
            above = parent?.prefixText ?? ""
            depth = parent?.count ?? 0
            place = parent.map(schema.place(of:)) ?? .group(schema.root)
        }
        guard let node = place.node else { return schema.place(of: path) }
        var names = path.lastName
        return schema.member(&names, of: node, at: depth, of: path)
    }
}

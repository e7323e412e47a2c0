package import CleatJSON

/// The schema of all paths in the tree of settings.
package struct Schema: Sendable {
    /// The object at the top.
    package let root: SchemaNode

    /// The former names of settings and groups.
    package let renames: RenameTable

    /// The schema of Cleat's built-in settings.
    package static let builtIn = BuiltInSchema.schema

    init(root: SchemaNode, renames: RenameTable) {
        self.root = root
        self.renames = renames
    }

    /// Makes a schema of settings from JSON Schema 2020-12.
    ///
    /// - Parameters:
    ///   - json: an object whose `type` is `object`.
    ///   - file: the file of the schema, for errors.
    /// - Throws: all faults of the schema, with their places as JSON pointers.
    package init(json: JSONValue, file: String = "the schema") throws(SchemaErrors) {
        let compiled = try JSONSchema(json, for: .settings)
        var builder = SchemaTreeBuilder(schema: compiled, file: file)
        root = try builder.build()
        renames = RenameTable(builder.renames)
        let conflicts = renames.conflicts(in: self)
        if !conflicts.isEmpty {
            throw SchemaErrors(Array(conflicts.prefix(SchemaErrors.maximumCount)), file: file)
        }
    }

    /// Makes the schema of one setting, or of one group of settings.
    ///
    /// - Parameters:
    ///   - keywords: the keywords of the schema at the path.
    ///   - path: the only path of the schema, with those below it.
    /// - Throws: all faults of the schema.
    package init(_ keywords: JSONObject, at path: SettingPath) throws(SchemaErrors) {
        var keywords = keywords
        // References such as `#/$defs/…` are to these keywords, not to the whole schema.
        if keywords["$id"] == nil { keywords["$id"] = "cleat:setting" }
        let json = path.segments.reversed().reduce(JSONValue.object(keywords)) { below, name in
            ["type": "object", "properties": .object([name: below])]
        }
        try self.init(json: json)
    }

    /// The schema as JSON Schema 2020-12.
    package var json: JSONValue { SchemaExporter.json(of: self) }

    /// Merges another schema into a copy of this one.
    ///
    /// - Parameters:
    ///   - other: the schema to add; its groups are merged with existing ones.
    ///   - file: the file of the other schema, for errors.
    /// - Returns: a schema with the settings of both.
    /// - Throws: the paths that both define, with the names of both files.
    package func merged(with other: Schema, from file: String) throws(SchemaErrors) -> Schema {
        try SchemaMerger.merged(self, with: other, from: file)
    }

    // MARK: Places

    /// The kinds of place that a path can name.
    package enum Place: Sendable {
        /// A setting.
        case setting(SchemaNode)
        /// A group of settings with fixed names, or a map.
        case group(SchemaNode)
        /// One entry of a map whose entries are groups.
        case entry(SchemaNode)
        /// The path goes through a key that the map does not accept.
        case invalidKey(map: SettingPath, key: String, problem: String)
        /// The path continues below a setting.
        case belowSetting(SettingPath)
        /// The schema does not know the path.
        case unknown

        /// The node of the place; nil if the path names none.
        var node: SchemaNode? {
            switch self {
            case .setting(let node), .group(let node), .entry(let node): node
            default: nil
            }
        }
    }

    /// Finds the place in the schema of a path.
    @inline(never)
    package func place(of path: SettingPath) -> Place {
        var place = Place.group(root)
        var names = path.names
        var index = 0
        while let node = place.node, !names.isAtEnd {
            place = member(&names, of: node, at: index, of: path)
            index += 1
        }
        return place
    }

    /// Finds the place of a member of a node, whose name is the next one of some names.
    func member(_ names: inout SettingPath.Names, of node: SchemaNode, at index: Int, of path: SettingPath) -> Place {
        if node.isInterior || node.types.isEmpty, let found = unsafe names.next(where: { unsafe node.member($0) }) {
            return !found.node.isInterior
                ? .setting(found.node) : found.isEntry ? .entry(found.node) : .group(found.node)
        }
        return member(names.next() ?? "", of: node, at: index, of: path)
    }

    /// Finds the place of a member of a node.
    ///
    /// - Parameters:
    ///   - name: the name of the member.
    ///   - node: the node.
    ///   - index: the number of names above the member.
    ///   - path: the whole path, for descriptions.
    /// - Returns: the place.
    func member(_ name: String, of node: SchemaNode, at index: Int, of path: SettingPath) -> Place {
        guard node.isInterior || node.types.isEmpty else { return .belowSetting(path.beginning(index)) }
        if let property = node.object.property(name) {
            return property.isInterior ? .group(property) : .setting(property)
        }
        let entry: SchemaNode
        switch (node.object.matching(name), node.object.additional) {
        case (let match?, _): entry = match
        case (nil, .closed):
            guard !node.object.patterns.isEmpty else { return .unknown }
            let patterns = node.object.patterns.prefix(4).map(\.pattern.text).joined(separator: " or ")
            return .invalidKey(
                map: path.beginning(index), key: name, problem: "must match the pattern \(Excerpt.of(patterns))")
        case (nil, .any): entry = node.isSecret ? .anySecret : .any
        case (nil, .entries(let any)): entry = any
        }
        if let names = node.object.propertyNames, let problem = names.firstProblem(with: .string(name)) {
            return .invalidKey(
                map: path.beginning(index), key: name,
                problem: Self.wholeName(of: path, from: index, by: names) ?? problem.reason)
        }
        return entry.isInterior ? .entry(entry) : .setting(entry)
    }

    /// Returns the remedy for a name with slashes that was written as several segments; nil if that is not the fault.
    private static func wholeName(of path: SettingPath, from index: Int, by names: SchemaNode) -> String? {
        guard index + 1 < path.segments.count else { return nil }
        let whole = path.segments[index...].joined(separator: "/")
        guard names.firstProblem(with: .string(whole)) == nil, let meant = try? path.beginning(index).appending(whole)
        else { return nil }
        return "must be the whole name, with slashes as ~1: \(meant)"
    }

    /// Returns the node that describes a path; nil if the schema does not know it.
    package func lookup(_ path: SettingPath) -> SchemaNode? {
        place(of: path).node
    }

    /// Returns the present name of a path that the schema does not know; nil if no rename leads to one.
    package func newName(of path: SettingPath) -> SettingPath? {
        renames.presentName(of: path) { lookup($0) != nil }
    }

    /// Finds the known path that is most similar to an unknown one, for “did you mean”.
    ///
    /// - Parameter path: the unknown path.
    /// - Returns: the path; nil if none is similar, and if the search would take too long.
    package func suggestion(for path: SettingPath) -> String? {
        PathSearch.suggestion(for: path, below: root)
    }

    /// Returns true if the schema defines a path, with keys in braces for those of maps.
    func defines(_ pattern: String) -> Bool {
        var node = root
        for segment in SettingRename.segments(of: pattern) {
            guard node.isInterior || node.types.isEmpty else { return false }
            let name = SettingPath.unescaped(segment)
            if SettingRename.isKey(segment) {
                guard let entry = node.object.entryKinds.first else {
                    if case .any = node.object.additional { return true }
                    return false
                }
                node = entry
            } else if let next = node.object.property(name) ?? node.object.entry(name) {
                if node.object.property(name) == nil,
                    node.object.propertyNames?.firstProblem(with: .string(name)) != nil
                {
                    return false
                }
                node = next
            } else if case .any = node.object.additional {
                return true
            } else {
                return false
            }
        }
        return true
    }

    // MARK: Marks

    /// Returns true if a setting, or a group that contains it, should no longer be used.
    package func isDeprecated(_ path: SettingPath) -> Bool {
        (1...path.count).contains { lookup(path.beginning($0))?.isDeprecated == true }
    }

    /// True if any setting or group should no longer be used.
    package var hasDeprecated: Bool { root.hasDeprecated }

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

    // MARK: Values

    /// Returns a value in its stored form: durations, sizes and addresses in canonical form, 1.0 as 1.
    ///
    /// - Parameters:
    ///   - value: the value as given.
    ///   - path: the path to store it at.
    /// - Returns: the stored form, or the value itself if it does not fit the schema; the validation reports the
    ///   reason.
    package func canonical(_ value: JSONValue, at path: SettingPath) -> JSONValue {
        lookup(path)?.canonical(value) ?? value
    }
}

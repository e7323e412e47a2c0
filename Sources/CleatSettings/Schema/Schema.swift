package import CleatJSON

/// The schema of all paths in the tree of settings.
package struct Schema: Sendable {
    /// The object at the top.
    package let root: SchemaNode

    /// The former names of settings and groups.
    package let renames: [SettingRename]

    init(root: SchemaNode, renames: [SettingRename] = []) {
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
        renames = builder.renames
        let conflicts = conflicts(of: renames)
        if !conflicts.isEmpty {
            throw SchemaErrors(Array(conflicts.prefix(SchemaErrors.maximumCount)), file: file)
        }
    }

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
    }

    /// Finds the place in the schema of a path.
    package func place(of path: SettingPath) -> Place {
        var node = root
        var place = Place.group(root)
        for (index, segment) in path.segments.enumerated() {
            guard node.isInterior || node.types.isEmpty else {
                return .belowSetting(path.beginning(index))
            }
            if let property = node.object.property(segment) {
                node = property
                place = node.isInterior ? .group(node) : .setting(node)
                continue
            }
            let entry: SchemaNode
            switch (node.object.matching(segment), node.object.additional) {
            case (let match?, _): entry = match
            case (nil, .closed):
                guard !node.object.patterns.isEmpty else { return .unknown }
                let patterns = node.object.patterns.prefix(4).map(\.pattern.text).joined(separator: " or ")
                return .invalidKey(
                    map: path.beginning(index), key: segment, problem: "must match the pattern \(Excerpt.of(patterns))")
            case (nil, .any): entry = node.isSecret ? .anySecret : .any
            case (nil, .entries(let any)): entry = any
            }
            if let names = node.object.propertyNames, let problem = names.firstProblem(with: .string(segment)) {
                return .invalidKey(
                    map: path.beginning(index), key: segment,
                    problem: Self.wholeName(of: path, from: index, by: names) ?? problem.reason)
            }
            node = entry
            place = node.isInterior ? .entry(node) : .setting(node)
        }
        return place
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
        switch place(of: path) {
        case .setting(let node), .group(let node), .entry(let node): node
        default: nil
        }
    }

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

extension SchemaNode {
    /// Returns a value in its stored form.
    package func canonical(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members) where isInterior:
            return .object(
                JSONObject(members.map { ($0.key, object.property($0.key)?.canonical($0.value) ?? $0.value) }))
        case .number(let number) where rules.isEmpty: return Int64(exactly: number).map(JSONValue.integer) ?? value
        default: return rules.first.map { $0.schema.canonical(value, by: $0.ids) } ?? value
        }
    }
}

extension Schema {
    /// Converts a number or a boolean to text for a setting that accepts only strings, for callers without the schema.
    ///
    /// - Parameters:
    ///   - value: a value whose type was guessed from a text.
    ///   - path: the path to store it at.
    /// - Returns: the text, or the value itself if no conversion is needed.
    package func coerced(_ value: JSONValue, at path: SettingPath) -> JSONValue {
        guard let node = lookup(path), node.types == .string, node.string.format?.text(quantity: 0) == nil else {
            return value
        }
        return switch value {
        case .bool, .integer, .number: .string(value.description)
        default: value
        }
    }
}

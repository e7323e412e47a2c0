import CleatJSON

extension Schema {
    /// Merges another schema into a copy of this one.
    ///
    /// - Parameters:
    ///   - other: the schema to add; its groups are merged with existing ones.
    ///   - file: the file of the other schema, for errors.
    /// - Returns: a schema with the settings of both.
    /// - Throws: the paths that both define, with the names of both files.
    package func merged(with other: Schema, from file: String) throws(SchemaErrors) -> Schema {
        var merger = SchemaMerger(file: file)
        let root = merger.merge(root, other.root, [])
        let result = Schema(root: root, renames: renames + other.renames)
        if merger.problems.isEmpty {
            merger.problems = result.conflicts(of: other.renames, with: renames)
            merger.problems += renames.filter { other.defines($0.old) }.map { rename in
                SchemaError(
                    code: .conflict, pointer: [], keyword: SettingRename.keyword,
                    message: result.stillDefined(rename).message)
            }
        }
        if !merger.problems.isEmpty {
            throw SchemaErrors(Array(merger.problems.prefix(SchemaErrors.maximumCount)), file: file)
        }
        return result
    }
}

/// Merges the groups of two schemas, and finds the paths that both define.
private struct SchemaMerger {
    let file: String
    var problems: [SchemaError] = []

    private mutating func conflict(_ path: [String], _ first: SchemaNode) {
        guard problems.count < SchemaErrors.maximumCount else { return }
        let text = path.map(SettingPath.escaped).joined(separator: "/")
        let files = first.rules.map(\.file).joined(separator: ", ")
        problems.append(
            SchemaError(
                code: .conflict, pointer: path.flatMap { ["properties", $0] },
                message: "“\(Excerpt.of(text))” is defined in \(files) already; \(file) must leave it out"))
    }

    mutating func merge(_ first: SchemaNode, _ second: SchemaNode, _ path: [String]) -> SchemaNode {
        guard first.isInterior, second.isInterior else {
            conflict(path, first)
            return first
        }
        var object = first.object
        // A map accepts any name, so a property next to it would be defined twice.
        let isOpen = [first, second].map { node in
            if case .closed = node.object.additional { !node.object.patterns.isEmpty } else { true }
        }
        if isOpen[0], isOpen[1] {
            conflict(path, first)
            return first
        }
        object.properties = first.object.properties.map { name, node in
            (name, second.object.property(name).map { merge(node, $0, path + [name]) } ?? node)
        }
        for (name, node) in second.object.properties where first.object.property(name) == nil {
            if isOpen[0] { conflict(path + [name], first) }
            object.properties.append((name, node))
        }
        object.properties.sort { ByteOrder.precedes($0.name, $1.name) }
        if isOpen[1] {
            for (name, node) in first.object.properties where second.object.property(name) == nil {
                conflict(path + [name], node)
            }
            object.patterns = second.object.patterns
            object.additional = second.object.additional
            object.propertyNames = second.object.propertyNames
        }
        object.required += second.object.required.filter { name in
            !object.required.contains { ByteOrder.areEqual($0, name) }
        }
        object.minProperties = [object.minProperties, second.object.minProperties].compactMap { $0 }.max()
        object.maxProperties = [object.maxProperties, second.object.maxProperties].compactMap { $0 }.min()
        return SchemaNode(
            .object, title: first.title ?? second.title, description: first.description ?? second.description,
            default: nil, examples: first.examples, isSecret: first.isSecret || second.isSecret,
            isDeprecated: first.isDeprecated, isReadOnly: first.isReadOnly, enumeration: nil, constant: nil,
            number: SchemaNode.NumberRules(), string: SchemaNode.StringRules(), array: SchemaNode.ArrayRules(),
            object: object,
            extensions: Self.merged(first.extensions, second.extensions),
            rules: first.rules + second.rules, place: first.place)
    }
    /// Merges extensions; the former names of both are kept.
    private static func merged(_ first: JSONObject, _ second: JSONObject) -> JSONObject {
        var result = first
        for (key, value) in second {
            guard ByteOrder.areEqual(key, SettingRename.keyword), let former = first[key] else {
                result[key] = value
                continue
            }
            result[key] = .array((former.arrayValue ?? [former]) + (value.arrayValue ?? [value]))
        }
        return result
    }
}

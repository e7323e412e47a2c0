import CleatJSON

/// Merges the groups of two schemas, and finds the paths that both define.
struct SchemaMerger {
    /// The file of the second schema.
    private let file: String
    private var problems: [SchemaError] = []

    /// Merges a schema, which a file adds, into another one.
    static func merged(_ first: Schema, with second: Schema, from file: String) throws(SchemaErrors) -> Schema {
        var merger = SchemaMerger(file: file)
        let root = merger.merge(first.root, second.root, [])
        let result = Schema(root: root, renames: RenameTable(first.renames.all + second.renames.all))
        var problems = merger.problems
        if problems.isEmpty {
            problems = second.renames.conflicts(in: result, with: first.renames)
            problems += first.renames.all.filter { second.defines($0.old) }.map { rename in
                SchemaError(
                    code: .conflict, pointer: [], keyword: SettingRename.keyword,
                    message: RenameTable.stillDefined(rename).message)
            }
        }
        if !problems.isEmpty {
            throw SchemaErrors(Array(problems.prefix(SchemaErrors.maximumCount)), file: file)
        }
        return result
    }

    private mutating func conflict(_ path: [String], _ first: SchemaNode) {
        guard problems.count < SchemaErrors.maximumCount else { return }
        let text = path.map(SettingPath.escaped).joined(separator: "/")
        let files = first.rules.map(\.file).joined(separator: ", ")
        problems.append(
            SchemaError(
                code: .conflict, pointer: path.flatMap { ["properties", $0] },
                message: "“\(Excerpt.of(text))” is defined in \(files) already; remove it from \(file)"))
    }

    private mutating func merge(_ first: SchemaNode, _ second: SchemaNode, _ path: [String]) -> SchemaNode {
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
        object.properties = properties(of: first, second, path, isOpen: isOpen[0])
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
            .object,
            annotations: SchemaAnnotations(
                title: first.title ?? second.title, description: first.description ?? second.description,
                examples: first.examples, isDeprecated: first.isDeprecated, isReadOnly: first.isReadOnly,
                isWriteOnly: first.isSecret || second.isSecret,
                extensions: Self.merged(first.extensions, second.extensions)),
            object: object, rules: first.rules + second.rules, place: first.place)
    }

    /// Merges the properties of two groups, each in the order of the bytes of their names.
    private mutating func properties(
        of first: SchemaNode, _ second: SchemaNode, _ path: [String], isOpen: Bool
    ) -> [(name: String, node: SchemaNode)] {
        var added = second.object.properties[...]
        var result: [(name: String, node: SchemaNode)] = []
        result.reserveCapacity(first.object.properties.count + added.count)
        func add(before name: String? = nil) {
            while let next = added.first, name.map({ ByteOrder.precedes(next.name, $0) }) ?? true {
                if isOpen { conflict(path + [next.name], first) }
                result.append(next)
                added.removeFirst()
            }
        }
        for (name, node) in first.object.properties {
            add(before: name)
            guard let other = added.first, ByteOrder.areEqual(other.name, name) else {
                result.append((name, node))
                continue
            }
            result.append((name, merge(node, other.node, path + [name])))
            added.removeFirst()
        }
        add()
        return result
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

import CleatJSON

/// Exports the tree of settings as JSON Schema 2020-12.
enum SchemaExporter {
    /// Returns a schema that can be read without other schemas.
    static func json(of schema: Schema) -> JSONValue {
        var result: JSONObject = ["$schema": .string(JSONSchema.dialect)]
        for (key, value) in schema.root.json { result[key] = value }
        return .object(result)
    }

    /// Returns the keywords of one place.
    static func json(of node: SchemaNode) -> JSONObject {
        if node.rules.isEmpty { return describing(node) }
        return node.isInterior ? group(node) : SubschemaExporter.leaf(node.rules, place: node.place)
    }

    /// Returns the keywords of a group: its description, its members, and the rules over several of them.
    private static func group(_ node: SchemaNode) -> JSONObject {
        var result = describing(node)
        addMembers(node.object, to: &result)
        let rules = node.rules.flatMap { rule in rule.groupIDs.map { SubschemaExporter.groupRules(rule.schema, $0) } }
        if rules.count == 1 {
            for (key, value) in rules[0] { result[key] = value }
        } else if !rules.isEmpty {
            result["allOf"] = .array(rules.map(JSONValue.object))
        }
        for (key, value) in node.extensions { result[key] = value }
        return result
    }

    private static func describing(_ node: SchemaNode) -> JSONObject {
        var result = JSONObject()
        let names = node.types.names.map(JSONValue.string)
        if !names.isEmpty { result["type"] = names.count == 1 ? names[0] : .array(names) }
        result["title"] = node.title.map(JSONValue.string)
        result["description"] = node.description.map(JSONValue.string)
        result["default"] = node.defaultValue
        if !node.examples.isEmpty { result["examples"] = .array(node.examples) }
        if node.isSecret { result["writeOnly"] = true }
        if node.isReadOnly { result["readOnly"] = true }
        if node.isDeprecated { result["deprecated"] = true }
        return result
    }

    private static func addMembers(_ object: SchemaNode.ObjectRules, to result: inout JSONObject) {
        if !object.properties.isEmpty {
            result["properties"] = .object(JSONObject(object.properties.map { ($0.name, .object($0.node.json)) }))
        }
        if !object.patterns.isEmpty {
            result["patternProperties"] = .object(
                JSONObject(object.patterns.map { ($0.pattern.text, .object($0.node.json)) }))
        }
        switch object.additional {
        case .any: result["additionalProperties"] = true
        case .closed: result["additionalProperties"] = false
        case .entries(let entry): result["additionalProperties"] = .object(entry.json)
        }
        result["propertyNames"] = (object.propertyNames?.json).map(JSONValue.object)
        if !object.required.isEmpty { result["required"] = .array(object.required.map(JSONValue.string)) }
        result["minProperties"] = object.minProperties.map(JSONValue.init)
        result["maxProperties"] = object.maxProperties.map(JSONValue.init)
    }
}

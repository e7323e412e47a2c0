package import CleatJSON

extension Schema {
    /// The schema as JSON Schema 2020-12.
    package var json: JSONValue {
        var result: JSONObject = ["$schema": .string(SchemaNode.dialect)]
        for (key, value) in root.json { result[key] = value }
        return .object(result)
    }
}

extension SchemaNode {
    /// The only supported dialect of JSON Schema, for reading and writing.
    static let dialect = "https://json-schema.org/draft/2020-12/schema"

    /// The node's keywords as a schema that can be read without other schemas.
    package var json: JSONObject {
        if rules.isEmpty { return declaredJSON }
        return isInterior ? groupJSON : SchemaExporter.leaf(rules, place: place)
    }

    /// The keywords of a group: its description, its members, and the rules over several of them.
    private var groupJSON: JSONObject {
        var result = describingJSON
        addMembers(to: &result)
        let rules = rules.flatMap { rule in rule.groupIDs.map { SchemaExporter.groupRules(rule.schema, $0) } }
        if rules.count == 1 {
            for (key, value) in rules[0] { result[key] = value }
        } else if !rules.isEmpty {
            result["allOf"] = .array(rules.map(JSONValue.object))
        }
        for (key, value) in extensions { result[key] = value }
        return result
    }

    /// The keywords of a node that was declared in Swift, in fixed order.
    private var declaredJSON: JSONObject {
        var result = describingJSON
        for (key, value) in constraints { result[key] = value }
        addMembers(to: &result)
        for (key, value) in extensions { result[key] = value }
        return result
    }

    private var describingJSON: JSONObject {
        var result = JSONObject()
        let names = types.names.map(JSONValue.string)
        if !names.isEmpty { result["type"] = names.count == 1 ? names[0] : .array(names) }
        result["title"] = title.map(JSONValue.string)
        result["description"] = description.map(JSONValue.string)
        result["default"] = defaultValue
        if !examples.isEmpty { result["examples"] = .array(examples) }
        if isSecret { result["writeOnly"] = true }
        if isReadOnly { result["readOnly"] = true }
        if isDeprecated { result["deprecated"] = true }
        return result
    }

    /// The keywords that bound the value, without its description and its members.
    private var constraints: JSONObject {
        var result = JSONObject()
        result["enum"] = enumeration.map(JSONValue.array)
        result["const"] = constant
        result["minimum"] = number.minimum
        result["maximum"] = number.maximum
        result["exclusiveMinimum"] = number.exclusiveMinimum
        result["exclusiveMaximum"] = number.exclusiveMaximum
        result["multipleOf"] = number.multipleOf
        result["minLength"] = string.minLength.map(JSONValue.init)
        // JSON Schema's own hostname may be longer than a Linux host name.
        result["maxLength"] = (string.maxLength ?? (string.format == .hostname ? 64 : nil)).map(JSONValue.init)
        result["pattern"] = (string.pattern?.text).map(JSONValue.string)
        if let branches = string.format?.branches {
            result["anyOf"] = .array(branches)
        } else {
            result["format"] = (string.format?.rawValue).map(JSONValue.string)
        }
        result["items"] = (array.items?.json).map(JSONValue.object)
        result["minItems"] = array.minItems.map(JSONValue.init)
        result["maxItems"] = array.maxItems.map(JSONValue.init)
        if array.uniqueItems { result["uniqueItems"] = true }
        return result
    }

    private func addMembers(to result: inout JSONObject) {
        guard types.isEmpty || types.contains(.object) else { return }
        if !object.properties.isEmpty {
            result["properties"] = .object(JSONObject(object.properties.map { ($0.name, .object($0.node.json)) }))
        }
        if !object.patterns.isEmpty {
            result["patternProperties"] = .object(
                JSONObject(object.patterns.map { ($0.pattern.text, .object($0.node.json)) }))
        }
        switch object.additional {
        case .any: if !types.isEmpty { result["additionalProperties"] = true }
        case .closed: if types.contains(.object) { result["additionalProperties"] = false }
        case .entries(let entry): result["additionalProperties"] = .object(entry.json)
        }
        result["propertyNames"] = (object.propertyNames?.json).map(JSONValue.object)
        if !object.required.isEmpty { result["required"] = .array(object.required.map(JSONValue.string)) }
        result["minProperties"] = object.minProperties.map(JSONValue.init)
        result["maxProperties"] = object.maxProperties.map(JSONValue.init)
    }
}

extension SettingFormat {
    /// The formats of JSON Schema that this one is the union of; nil if it is not a union.
    var branches: [JSONValue]? {
        switch self {
        case .ip: [["format": "ipv4"], ["format": "ipv6"]]
        case .host: [["format": "hostname"], ["format": "ipv4"], ["format": "ipv6"]]
        default: nil
        }
    }
}

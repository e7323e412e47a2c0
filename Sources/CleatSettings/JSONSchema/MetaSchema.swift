import CleatJSON

/// The schema of schemas: the target of a `$ref` to the dialect's own URI.
///
/// It describes the values of the supported keywords as the compiler checks them, and accepts any other keyword.
enum MetaSchema {
    /// The URIs of the schema.
    static let uris = [JSONSchema.dialect]

    static var json: JSONValue {
        let schema: JSONValue = ["$ref": "#"]
        let schemas: JSONValue = ["type": "object", "additionalProperties": schema]
        let list: JSONValue = ["type": "array", "minItems": 1, "items": schema]
        let names: JSONValue = ["type": "array", "items": ["type": "string"], "uniqueItems": true]
        let count: JSONValue = ["type": "integer", "minimum": 0]
        let type: JSONValue = ["enum": .array(SettingTypes.named.map { .string($0.name) })]
        var properties = JSONObject()
        func add(_ keywords: [String], _ value: JSONValue) {
            for keyword in keywords { properties[keyword] = value }
        }
        add(["$id", "$ref", "$comment", "$schema", "title", "description", "format"], ["type": "string"])
        add(["$anchor"], ["type": "string", "pattern": "^[A-Za-z_][-A-Za-z0-9._]*$"])
        add(["$defs", "properties", "dependentSchemas"], schemas)
        add(
            ["patternProperties"],
            ["type": "object", "additionalProperties": schema, "propertyNames": ["format": "regex"]])
        add(
            [
                "items", "contains", "additionalProperties", "propertyNames", "if", "then", "else", "not",
                "unevaluatedItems", "unevaluatedProperties",
            ], schema)
        add(["prefixItems", "allOf", "anyOf", "oneOf"], list)
        add(["type"], ["anyOf": [type, ["type": "array", "items": type, "minItems": 1, "uniqueItems": true]]])
        add(["enum", "examples"], ["type": "array"])
        add(["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"], ["type": "number"])
        add(["multipleOf"], ["type": "number", "exclusiveMinimum": 0])
        add(CountBound.allCases.map(\.rawValue) + ["minContains", "maxContains"], count)
        add(["pattern"], ["type": "string", "format": "regex"])
        add(["required"], names)
        add(["dependentRequired"], ["type": "object", "additionalProperties": names])
        add(["uniqueItems", "deprecated", "readOnly", "writeOnly"], ["type": "boolean"])
        return [
            "$id": .string(JSONSchema.dialect), "type": ["object", "boolean"], "properties": .object(properties),
        ]
    }
}

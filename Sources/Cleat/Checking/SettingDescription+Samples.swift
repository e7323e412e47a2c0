import CleatAPI
import CleatJSON
import CleatSettings

extension SettingDescription {
    /// True if the value is a secret.
    var isSecret: Bool { constraints["writeOnly"]?.boolValue == true }

    /// The description as one JSON Schema.
    private var schema: JSONValue {
        var schema = constraints.objectValue ?? [:]
        if !types.isEmpty { schema["type"] = .array(types.map(JSONValue.string)) }
        return .object(schema)
    }

    /// The compiled schema; nil if this library does not support the schema: the service validates anyway.
    var compiled: JSONSchema? { try? JSONSchema(schema, for: .settings) }

    /// Values that the board can certainly hold: the schema's default, `const` and `enum` values.
    var certain: [JSONValue] {
        let listed = constraints["const"].map { [$0] } ?? constraints["enum"]?.arrayValue ?? []
        return (`default`.map { [$0] } ?? []) + listed.filter { !$0.isNull }
    }

    /// One value of each type that the schema allows; a sample need not satisfy the schema's other rules.
    var samples: [JSONValue] { Self.samples(schema, depth: 4) }

    private static func samples(_ schema: JSONValue, depth: Int) -> [JSONValue] {
        if schema["const"] != nil || schema["enum"] != nil { return [] }
        let types: [String] =
            switch schema["type"] {
            case .string(let type)?: [type]
            case .array(let types)?: types.compactMap(\.stringValue)
            default: []
            }
        return types.compactMap { type in
            switch type {
            case "boolean": return .bool(true)
            case "integer": return schema["minimum"]?.integerValue.map(JSONValue.integer) ?? .integer(0)
            case "number": return .number(0.5)
            case "string": return .string("")
            case "array":
                guard depth > 0, let items = schema["items"], let item = samples(items, depth: depth - 1).first else {
                    return .array([])
                }
                return .array([item])
            default: return nil
            }
        }
    }
}

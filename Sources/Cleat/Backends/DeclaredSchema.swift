import CleatJSON
import CleatSettings

/// Builds a schema from a program's keys, for settings in memory without a schema of their own.
struct DeclaredSchema {
    private var root = Self.group()

    /// The schema as a JSON value.
    var json: JSONValue { root }
    /// True if no key was added.
    private(set) var isEmpty = true

    private static func group() -> JSONValue { ["type": "object", "properties": [:]] }

    /// Adds a key: below another key, as a part of it; of two keys at the same path the first stays.
    mutating func add(_ key: KeyCheck) {
        isEmpty = false
        let value = try? key.defaultValue.get()
        root = Self.adding(Self.schema(of: value, key), at: key.path.segments[...], to: root)
    }

    private static func adding(_ new: JSONValue, at path: ArraySlice<String>, to node: JSONValue) -> JSONValue {
        guard let name = path.first else { return node }
        var object = node.objectValue ?? [:]
        var properties = object["properties"]?.objectValue ?? [:]
        if path.count == 1 {
            properties[name] = properties[name] ?? new
        } else {
            properties[name] = adding(new, at: path.dropFirst(), to: properties[name] ?? group())
        }
        object["properties"] = .object(properties)
        return .object(object)
    }

    private static func schema(of value: JSONValue?, _ key: KeyCheck?) -> JSONValue {
        switch value {
        case nil, .null?: return [:]
        case .bool(let value)?: return ["type": "boolean", "default": .bool(value)]
        case .integer(let value)?:
            // 80.0 is written as 80: the key's type decides whether fractions are accepted.
            let takesFractions = key.map { $0.refusal(.number(0.5)) == nil } ?? true
            return ["type": takesFractions ? "number" : "integer", "default": .integer(value)]
        case .number(let value)?: return ["type": "number", "default": .number(value)]
        case .string(let value)?: return ["type": "string", "default": .string(value)]
        case .array(let value)?: return ["type": "array", "default": .array(value)]
        case .object(let members)?:
            let properties = members.map { ($0.key, schema(of: $0.value, nil)) }
            return ["type": "object", "properties": .object(JSONObject(properties)), "additionalProperties": true]
        }
    }
}

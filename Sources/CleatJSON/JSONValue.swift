/// Holds any JSON value, with 64-bit integers kept exactly.
///
/// Two values are equal when they mean the same: `1` and `1.0` are equal, and so are objects that differ only in the
/// order of their keys. Strings and keys are compared by their UTF-8 bytes, never by canonical equivalence, so that
/// equal values always have the same canonical text.
public enum JSONValue: Sendable {
    /// The value `null`.
    case null
    /// The value `true` or `false`.
    case bool(Bool)
    /// An integer that fits 64 bits, exact.
    case integer(Int64)
    /// Any other number; never infinite and never "not a number" when it comes from the reader or the encoder.
    case number(Double)
    /// A string of Unicode scalars.
    case string(String)
    /// A list of values.
    case array([JSONValue])
    /// A map from keys to values, in stable order.
    case object(JSONObject)
}

extension JSONValue {
    /// Makes an integer value.
    public init(_ value: Int) {
        self = .integer(Int64(value))
    }

    /// Makes a string value.
    public init(_ value: String) {
        self = .string(value)
    }

    /// Tells whether the value is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// The value as a boolean, or nil where it is none.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The value as an exact 64-bit integer (of `1.0` too), or nil where it is none.
    public var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): value.exactInteger
        default: nil
        }
    }

    /// The value as an exact `Int` (of `1.0` too), or nil where it is none.
    public var intValue: Int? {
        integerValue.flatMap(Int.init(exactly:))
    }

    /// The value as a double (the nearest one, of an integer), or nil where it is no number.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The value as a string, or nil where it is none.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The value as a list, or nil where it is none.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The value as an object, or nil where it is none.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member with a key, or nil where the value is no object or has no such key.
    public subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The element with an index, or nil where the value is no list or is shorter.
    public subscript(index: Int) -> JSONValue? {
        if case .array(let array) = self, array.indices.contains(index) { array[index] } else { nil }
    }

    /// The kind of value in the words of JSON Schema: `null`, `boolean`, `integer`, `number`, `string`, `array`, `object`.
    public var typeName: String {
        switch self {
        case .null: "null"
        case .bool: "boolean"
        case .integer: "integer"
        case .number(let value): value.exactInteger == nil ? "number" : "integer"
        case .string: "string"
        case .array: "array"
        case .object: "object"
        }
    }
}

extension JSONValue: CustomStringConvertible {
    /// The value as compact JSON.
    public var description: String {
        JSONWriter.write(self, style: .compact)
    }

    /// The value as canonical JSON: equal values have equal text.
    public var canonicalText: String {
        JSONWriter.write(self, style: .canonical)
    }
}

/// A JSON value, with exact 64-bit integers.
///
/// Two values are equal if they have the same meaning: `1` and `1.0` are equal, and so are objects that differ only in
/// the order of their keys. Strings and keys are compared by their UTF-8 bytes, never by canonical equivalence, so that
/// equal values always have the same canonical text.
public enum JSONValue: Sendable {
    /// The value `null`.
    case null
    /// The value `true` or `false`.
    case bool(Bool)
    /// An integer that fits 64 bits, exact.
    case integer(Int64)
    /// Any other number; never infinite and never "not a number" if it comes from the reader or the encoder.
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

    /// True if the value is `null`.
    public var isNull: Bool {
        if case .null = self { true } else { false }
    }

    /// True if the value is an object without members: a group, or a map's entry, in which nothing is set.
    package var isEmptyObject: Bool {
        if case .object(let object) = self { object.isEmpty } else { false }
    }

    /// The value as a boolean; nil if it is not one.
    public var boolValue: Bool? {
        if case .bool(let value) = self { value } else { nil }
    }

    /// The value as an exact 64-bit integer (also of `1.0`); nil if it is not one.
    public var integerValue: Int64? {
        switch self {
        case .integer(let value): value
        case .number(let value): value.exactInteger
        default: nil
        }
    }

    /// The value as an exact `Int` (also of `1.0`); nil if it is not one.
    public var intValue: Int? {
        integerValue.flatMap(Int.init(exactly:))
    }

    /// The value as a double (of an integer, the nearest one); nil if it is not a number.
    public var doubleValue: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// The value as a string; nil if it is not one.
    public var stringValue: String? {
        if case .string(let value) = self { value } else { nil }
    }

    /// The value as a list; nil if it is not one.
    public var arrayValue: [JSONValue]? {
        if case .array(let value) = self { value } else { nil }
    }

    /// The value as an object; nil if it is not one.
    public var objectValue: JSONObject? {
        if case .object(let value) = self { value } else { nil }
    }

    /// The member with a key; nil if the value is not an object or has no such key.
    public subscript(key: String) -> JSONValue? {
        if case .object(let object) = self { object[key] } else { nil }
    }

    /// The element with an index; nil if the value is not a list or is shorter.
    public subscript(index: Int) -> JSONValue? {
        if case .array(let array) = self, array.indices.contains(index) { array[index] } else { nil }
    }

    /// The type of the value in JSON Schema: `null`, `boolean`, `integer`, `number`, `string`, `array`, `object`.
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

extension JSONValue: ExpressibleByBooleanLiteral {
    /// Makes a boolean.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    /// Makes an integer.
    public init(integerLiteral value: Int64) {
        self = .integer(value)
    }
}

extension JSONValue: ExpressibleByFloatLiteral {
    /// Makes a number.
    public init(floatLiteral value: Double) {
        self = .number(value)
    }
}

extension JSONValue: ExpressibleByStringLiteral {
    /// Makes a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }
}

extension JSONValue: ExpressibleByArrayLiteral {
    /// Makes a list.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    /// Makes an object; of two members with the same key the later value counts.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(JSONObject(elements))
    }
}

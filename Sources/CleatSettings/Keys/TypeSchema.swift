import CleatJSON

/// Derives the schema of a setting from its Swift type.
///
/// The members of a struct are those that its `init(from:)` reads from a sample. A type whose schema is uncertain is
/// refused, so that no schema accepts what its key cannot read.
enum TypeSchema {
    /// The most levels of types inside each other.
    private static let maximumDepth = 16

    /// Returns the keywords that describe the stored form of a type, or throws the reason why it has no schema.
    ///
    /// The sample is a stored value of the type, if there is one; `depth` is the number of types around it.
    static func keywords<T: Decodable>(of type: T.Type, like sample: JSONValue?, depth: Int = 0) throws -> JSONObject {
        guard depth <= maximumDepth else { throw SettingFormError(description: "\(type) is nested too deep") }
        if let type = type as? any SettingConvertible.Type { return type.settingSchema }
        if let type = type as? any Container.Type { return try type.keywords(like: sample, depth: depth + 1) }
        if type == Bool.self { return ["type": "boolean"] }
        if type == String.self { return ["type": "string"] }
        if type is any BinaryFloatingPoint.Type { return ["type": "number"] }
        if let type = type as? any FixedWidthInteger.Type { return integer(type) }
        if type == JSONValue.self { return [:] }
        if let type = type as? any (CaseIterable & Encodable).Type { return try choice(type) }
        let decoder = SampleDecoder(value: sample, depth: depth + 1)
        do {
            _ = try T(from: decoder)
            if let whole = decoder.whole {
                // A type that does not accept every value of the one that it wraps has a schema of its own.
                if let probe = probe(whole) { _ = try probe.decode(setting: type) }
                return whole
            }
        } catch let failure as SettingFormError {
            throw failure
        } catch {
            throw SettingFormError(
                description: "the schema of \(type) is not known, since it refuses a sample (\(error)); let it adopt "
                    + "SettingConvertible, with `examples` in its schema, or CaseIterable if it is an enum")
        }
        let required = decoder.members.keys.filter { !decoder.optional.contains($0) }.map(JSONValue.string)
        var keywords: JSONObject = ["type": "object", "properties": .object(decoder.members)]
        keywords["required"] = required.isEmpty ? nil : .array(required)
        return keywords
    }

    /// Adds a default to a schema: to each setting of a group its part.
    static func add(_ value: JSONValue, to schema: inout JSONObject) throws {
        guard schema["type"] == "object", let members = value.objectValue else {
            schema["default"] = value
            return
        }
        var properties = schema["properties"]?.objectValue ?? JSONObject()
        for (name, member) in members where !member.isNull {
            guard var property = properties[name]?.objectValue else {
                throw SettingFormError(description: "a dictionary with entries cannot be a default; declare it empty")
            }
            try add(member, to: &property)
            properties[name] = .object(property)
        }
        if !properties.isEmpty { schema["properties"] = .object(properties) }
        let required = schema["required"]?.arrayValue?.filter { $0.stringValue.flatMap { members[$0] } == nil } ?? []
        schema["required"] = required.isEmpty ? nil : .array(required)
    }

    private static func integer<T: FixedWidthInteger>(_ type: T.Type) -> JSONObject {
        var keywords: JSONObject = ["type": "integer"]
        if let minimum = Int64(exactly: T.min), minimum > .min { keywords["minimum"] = .integer(minimum) }
        if let maximum = Int64(exactly: T.max), maximum < .max { keywords["maximum"] = .integer(maximum) }
        return keywords
    }

    private static func choice<T: CaseIterable & Encodable>(_ type: T.Type) throws -> JSONObject {
        let values = try T.allCases.map { try JSONValue(setting: $0) }
        let names = Set(values.map(\.typeName))
        guard names.count == 1, let name = names.first, ["string", "integer"].contains(name) else {
            throw SettingFormError(
                description: "the cases of \(type) are not texts or integers; declare it as an enum of String")
        }
        return ["type": .string(name), "enum": .array(values)]
    }

    /// Returns a value that few types other than a plain one accept; nil if the schema is not a plain one.
    private static func probe(_ keywords: JSONObject) -> JSONValue? {
        switch keywords["type"] {
        case "string"? where keywords["format"] == nil && keywords["enum"] == nil: "\u{7f}?"
        case "integer"?: keywords["maximum"] ?? 7_777_777
        case "number"?: -7_777_777.25
        default: nil
        }
    }

    /// Makes a value from a schema.
    private static func sample(_ keywords: JSONObject) -> JSONValue {
        if let value = keywords["enum"]?[0] ?? keywords["examples"]?[0] { return value }
        switch keywords["type"] {
        case "boolean"?: return false
        case "integer"?, "number"?: return keywords["minimum"] ?? 0
        case "string"?: return ""
        case "array"?: return []
        default:
            let names = keywords["required"]?.arrayValue?.compactMap(\.stringValue) ?? []
            return .object(JSONObject(names.map { ($0, sample(keywords["properties"]?[$0]?.objectValue ?? [:])) }))
        }
    }

    /// Returns the schema of a part of a type, and the part's value in the sample or one made from the schema.
    fileprivate static func part<T: Decodable>(
        _ type: T.Type, _ value: JSONValue?, _ depth: Int
    ) throws -> (JSONObject, T) {
        let keywords = try keywords(of: type, like: value, depth: depth)
        return (keywords, try (value ?? sample(keywords)).decode(setting: type))
    }
}

/// A type that contains values of another type.
private protocol Container {
    static func keywords(like sample: JSONValue?, depth: Int) throws -> JSONObject
}

extension Optional: Container where Wrapped: Decodable {
    static func keywords(like sample: JSONValue?, depth: Int) throws -> JSONObject {
        try TypeSchema.keywords(of: Wrapped.self, like: sample.flatMap { $0.isNull ? nil : $0 }, depth: depth)
    }
}

extension Array: Container where Element: Decodable {
    static func keywords(like sample: JSONValue?, depth: Int) throws -> JSONObject {
        let items = try TypeSchema.keywords(of: Element.self, like: sample?[0], depth: depth)
        return ["type": "array", "items": .object(items)]
    }
}

extension Dictionary: Container where Key: Decodable, Value: Decodable {
    static func keywords(like sample: JSONValue?, depth: Int) throws -> JSONObject {
        guard Key.self == String.self else {
            throw SettingFormError(description: "\(Self.self) has other keys than String, which a schema cannot have")
        }
        let entry = try TypeSchema.keywords(of: Value.self, like: sample?.objectValue?.values.first, depth: depth)
        return ["type": "object", "additionalProperties": .object(entry)]
    }
}

/// Presents a sample to a type's `init(from:)`, and records what that reads.
private final class SampleDecoder: Decoder, SingleValueDecodingContainer {
    let value: JSONValue?
    let depth: Int
    let codingPath: [any CodingKey] = []
    let userInfo: [CodingUserInfoKey: Any] = [:]
    var members = JSONObject()
    /// The members that may be missing.
    var optional: Set<String> = []
    /// The schema of the one value that the type wraps.
    var whole: JSONObject?

    static let unknown = SettingFormError(
        description: "a type that reads lists or nested containers by itself has to adopt SettingConvertible")

    init(value: JSONValue?, depth: Int) { (self.value, self.depth) = (value, depth) }

    func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(SampleMembers(decoder: self))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer { throw Self.unknown }
    func singleValueContainer() -> any SingleValueDecodingContainer { self }
    func decodeNil() -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type) throws -> T {
        let (keywords, result) = try TypeSchema.part(type, value, depth)
        whole = keywords
        return result
    }
}

private struct SampleMembers<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: SampleDecoder
    let codingPath: [any CodingKey] = []
    let allKeys: [Key] = []

    /// `decodeIfPresent` calls this before it decodes.
    func contains(_ key: Key) -> Bool {
        decoder.optional.insert(key.stringValue)
        return true
    }

    func decodeNil(forKey key: Key) -> Bool { false }

    func decode<T: Decodable>(_ type: T.Type, forKey key: Key) throws -> T {
        let (keywords, result) = try TypeSchema.part(type, decoder.value?[key.stringValue], decoder.depth)
        decoder.members[key.stringValue] = .object(keywords)
        return result
    }

    func nestedContainer<Nested: CodingKey>(keyedBy: Nested.Type, forKey: Key) throws -> KeyedDecodingContainer<Nested>
    {
        throw SampleDecoder.unknown
    }
    func nestedUnkeyedContainer(forKey: Key) throws -> any UnkeyedDecodingContainer { throw SampleDecoder.unknown }
    func superDecoder() throws -> any Decoder { throw SampleDecoder.unknown }
    func superDecoder(forKey: Key) throws -> any Decoder { throw SampleDecoder.unknown }
}

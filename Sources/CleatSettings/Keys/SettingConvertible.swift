public import CleatJSON

/// A value that states how it is stored as a setting, and which schema describes the stored form.
///
/// The form is used for the value of a key, and inside a struct, an array, a dictionary or an optional. A type whose
/// `Codable` form is the right one needs only the schema:
/// ```swift
/// extension Percent: SettingConvertible {
///     static var settingSchema: JSONObject { ["type": "integer", "minimum": 0, "maximum": 100] }
/// }
/// ```
/// As the key of a dictionary, and in other coders, the `Codable` form is used. Of the collections of bytes only
/// `[UInt8]` is stored as a text.
public protocol SettingConvertible: Codable, Sendable {
    /// The keywords of JSON Schema that describe the stored form, without a default.
    ///
    /// A form that not every value of its type has, such as a text with a pattern, needs a value in `examples`.
    static var settingSchema: JSONObject { get }

    /// Reads a stored value; the default implementation reads the `Codable` form.
    ///
    /// - Throws: any error whose description states what is wrong.
    init(settingValue: JSONValue) throws

    /// Returns the value in its stored form; the default implementation returns the `Codable` form.
    ///
    /// - Throws: any error whose description states why the value cannot be stored.
    func settingValue() throws -> JSONValue
}

extension SettingConvertible {
    /// Reads a stored value from its `Codable` form.
    public init(settingValue: JSONValue) throws {
        self = try settingValue.decode(setting: Plain<Self>.self).value
    }

    /// Returns the `Codable` form.
    public func settingValue() throws -> JSONValue { try JSONValue(setting: Plain(value: self)) }
}

/// A value in its `Codable` form, whose parts have the forms of settings.
private struct Plain<Value: Codable>: Codable {
    let value: Value

    init(value: Value) { self.value = value }
    init(from decoder: any Decoder) throws { value = try Value(from: decoder) }
    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
}

/// The forms in which settings are stored.
private enum SettingForms: JSONForms {
    static func encode(_ value: some Encodable) throws -> JSONValue? {
        try (value as? any SettingConvertible)?.settingValue()
    }

    static func decode<T: Decodable>(_ type: T.Type, from value: JSONValue) throws -> T? {
        // The most frequent types need no search for a conformance.
        if type == Bool.self || type == Int.self || type == String.self { return nil }
        guard let convertible = type as? any SettingConvertible.Type else { return nil }
        return try convertible.init(settingValue: value) as? T
    }
}

extension JSONValue {
    /// Encodes a value in the form in which it is stored as a setting.
    package init(setting value: some Encodable) throws(JSONCodingError) {
        try self.init(encoding: value, forms: SettingForms.self)
    }

    /// Decodes a value from the form in which it is stored as a setting.
    package func decode<T: Decodable>(setting type: T.Type = T.self) throws(JSONCodingError) -> T {
        try decode(type, forms: SettingForms.self)
    }

    /// Reads a value from a text; throws if it is not a text, or not one of those that `expectation` describes.
    package func text<T>(as expectation: String, _ read: (String) -> T?) throws -> T {
        let text = try decode(String.self)
        guard let value = read(text) else {
            throw SettingFormError(description: "“\(Excerpt.of(text))” is not \(expectation)")
        }
        return value
    }
}

/// The reason why a value or a type has no stored form, or a text is not one.
package struct SettingFormError: Error, CustomStringConvertible {
    /// One sentence.
    package let description: String

    /// Makes an error.
    package init(description: String) { self.description = description }
}

extension Duration: SettingConvertible {
    /// A text such as `1h30m`.
    public static var settingSchema: JSONObject { ["type": "string", "format": "duration", "examples": ["1h30m"]] }

    /// Reads a text such as `1h30m`.
    public init(settingValue: JSONValue) throws {
        self = .milliseconds(
            try settingValue.text(as: SettingFormat.duration.expectation, DurationText.milliseconds))
    }

    /// Writes a text such as `1h30m`; a negative duration, one that is not a whole number of milliseconds, and one of
    /// more than 2^63 milliseconds cannot be stored.
    public func settingValue() throws -> JSONValue {
        let (whole, rest) = attoseconds.quotientAndRemainder(dividingBy: 1_000_000_000_000_000)
        guard whole >= 0, rest == 0, let milliseconds = Int64(exactly: whole) else {
            throw SettingFormError(
                description: "the duration \(self) cannot be stored; it must be 0 to \(Int64.max) whole milliseconds")
        }
        return .string(DurationText.text(milliseconds: milliseconds))
    }
}

extension [UInt8]: SettingConvertible {
    /// A text in base64.
    public static var settingSchema: JSONObject { ["type": "string", "format": "base64"] }

    /// Reads a text in base64 (RFC 4648, section 4).
    public init(settingValue: JSONValue) throws {
        self = try settingValue.text(as: SettingFormat.base64.expectation, Base64.decode)
    }

    /// Writes a text in base64.
    public func settingValue() -> JSONValue { .string(Base64.encode(self)) }
}

extension ByteCount: SettingConvertible {
    /// A text such as `16MiB`.
    public static var settingSchema: JSONObject { ["type": "string", "format": "bytes", "examples": ["16MiB"]] }
}

extension Hostname: SettingConvertible {
    /// A host name.
    public static var settingSchema: JSONObject { ["type": "string", "format": "hostname", "examples": ["board"]] }
}

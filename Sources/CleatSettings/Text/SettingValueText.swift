public import CleatJSON

/// Parses values as people type them after `path=` on a command line.
///
/// If the types are known, a text is read as one of them. If not, a JSON5 number, boolean, array, object or quoted
/// string is read as that, and any other text is a string. Commas alone never make a list.
public enum SettingValueText {
    /// Parses a value.
    ///
    /// - Parameters:
    ///   - text: the text after the equals sign.
    ///   - types: the names of the types that the setting may have (from `Describe`); nil if they are not known.
    ///   - isSecret: true if errors must not repeat the text; if the types are not known, they repeat at most the part
    ///     that is not valid JSON.
    /// - Returns: the value, not yet validated against the schema.
    /// - Throws: the reason why the text is not a value of these types.
    public static func parse(
        _ text: String, types: [String]? = nil, isSecret: Bool = false
    ) throws(SettingValueTextError) -> JSONValue {
        if text.utf8.count > ChangeSet.maximumValueBytes {
            throw SettingValueTextError("a value takes at most \(ChangeSet.maximumValueBytes) bytes; keep it in a file")
        }
        guard let types, !types.isEmpty else { return try guessed(text, isSecret) }
        let trimmed = trimmed(text)
        if trimmed == "null", !types.contains("string") { throw null }
        if let value = literal(trimmed), isOne(value, of: types) {
            return value
        }
        if types.contains("string") { return .string(text) }
        let shown = isSecret ? "the value" : "“\(Excerpt.of(text))”"
        throw SettingValueTextError(
            "\(shown) is not \(types.map(expectation).joined(separator: " or "))")
    }

    private static func guessed(_ text: String, _ isSecret: Bool) throws(SettingValueTextError) -> JSONValue {
        let trimmed = trimmed(text)
        if trimmed == "null" { throw null }
        if let value = literal(trimmed) { return value }
        if trimmed.hasPrefix("[") || trimmed.hasPrefix("{") {
            do {
                return try JSONReader.read(trimmed, dialect: .json5)
            } catch {
                let fault = isSecret ? "" : ": \(error)"
                throw SettingValueTextError(
                    "the value starts like JSON but is not valid JSON\(fault); put a string into quotes of its own")
            }
        }
        return .string(text)
    }

    private static var null: SettingValueTextError {
        SettingValueTextError("null is never stored; to go back to the default, unset the path")
    }

    private static func isOne(_ value: JSONValue, of types: [String]) -> Bool {
        let name = value.typeName
        return types.contains(name) || name == "integer" && types.contains("number")
    }

    /// Returns the JSON5 value of a text; nil for null, for numbers that JSON cannot represent, and for any other text.
    private static func literal(_ text: String) -> JSONValue? {
        guard let first = text.utf8.first, isPossibleStart(first),
            let value = try? JSONReader.read(text, dialect: .json5)
        else { return nil }
        if value.isNull { return nil }
        if case .number(let number) = value, !number.isFinite { return nil }
        return value
    }

    private static func isPossibleStart(_ byte: UInt8) -> Bool {
        ASCII.isDigit(byte) || "+-.\"'[{tf".utf8.contains(byte)
    }

    private static func trimmed(_ text: String) -> String {
        func isSpace(_ scalar: Unicode.Scalar) -> Bool { scalar == " " || scalar == "\t" || scalar == "\n" }
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { !isSpace($0) }),
            let last = scalars.lastIndex(where: { !isSpace($0) })
        else { return "" }
        return String(scalars[first...last])
    }

    private static func expectation(_ type: String) -> String {
        switch type {
        case "boolean": "true or false"
        case "integer": "a whole number such as 1500"
        case "number": "a number such as 0.5"
        case "array": "a list such as ['one', 'two']"
        case "object": "an object such as {key: 'value'}"
        default: "a \(type)"
        }
    }
}

/// The reason why a typed text is not a valid value.
public struct SettingValueTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence with the text, the fault and the remedy.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

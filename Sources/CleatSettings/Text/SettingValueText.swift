public import CleatJSON

/// Reads values as people type them after `path=` on a command line.
///
/// Where the types are known, a text is read as one of them. Where they are not, what reads as a JSON5 number, boolean,
/// array, object or quoted string is that, and everything else is a string. Commas alone never make a list.
public enum SettingValueText {
    /// Reads a value.
    ///
    /// - Parameters:
    ///   - text: what stands after the equals sign.
    ///   - types: the names of the types that the setting may have (`Describe` tells them); nil where they are not known.
    ///   - isSecret: whether errors must not repeat the text; where the types are not known they never do.
    /// - Returns: the value, not yet compared with the schema.
    /// - Throws: why the text is no value of these types.
    public static func parse(
        _ text: String, types: [String]? = nil, isSecret: Bool = false
    ) throws(SettingValueTextError) -> JSONValue {
        if text.utf8.count > ChangeSet.maximumValueBytes {
            throw SettingValueTextError("a value takes at most \(ChangeSet.maximumValueBytes) bytes; keep it in a file")
        }
        guard let types, !types.isEmpty else { return try guessed(text) }
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

    private static func guessed(_ text: String) throws(SettingValueTextError) -> JSONValue {
        let trimmed = trimmed(text)
        if trimmed == "null" { throw null }
        if let value = literal(trimmed) { return value }
        if trimmed.hasPrefix("[") || trimmed.hasPrefix("{") {
            do {
                return try JSONReader.read(trimmed, dialect: .json5)
            } catch {
                throw SettingValueTextError(
                    "the value begins like JSON but is none: \(error); put a string into quotes of its own")
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

    /// The value that a text reads as in JSON5; nil for null, for what JSON has no form for, and for anything else.
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

/// Says why a typed text is no value.
public struct SettingValueTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// One sentence with the text, the fault and the remedy.
    public let description: String

    init(_ description: String) {
        self.description = description
    }
}

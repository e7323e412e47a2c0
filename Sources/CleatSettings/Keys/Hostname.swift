import CleatJSON

/// A host name that Linux accepts (RFC 1123, at most 64 bytes).
public struct Hostname: Hashable, Sendable, Codable, CustomStringConvertible, ExpressibleByStringLiteral {
    /// The name.
    public let description: String

    /// Makes a host name from a text; nil if it is not a valid host name.
    public init?(_ text: String) {
        guard SettingFormat.hostname.accepts(text) else { return nil }
        description = text
    }

    /// Makes a host name from a literal; one that is not valid stops the program.
    public init(stringLiteral value: StaticString) {
        let text = value.description
        precondition(SettingFormat.hostname.accepts(text), "“\(text)” is not \(SettingFormat.hostname.expectation)")
        description = text
    }

    /// Reads the name from a string.
    public init(from decoder: any Decoder) throws {
        self = try JSONValue(from: decoder).text(as: SettingFormat.hostname.expectation) { Hostname($0) }
    }

    /// Writes the name as a string.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}

package import CleatJSON

/// One compiled schema: the whole, or one that stands inside it.
struct Subschema: Sendable {
    /// The subschema around it, and the keys of the JSON pointer that lead on from there.
    let parent: Int
    let tokens: [String]
    /// One rule a keyword, those that depend on what others have seen last.
    var rules: [SchemaRule] = []
    /// Whether what the rules have seen of an object or a list matters to an `unevaluated…` of this one or around it.
    var isTracked = false
    var annotations: SchemaAnnotations?

    /// Whether it is the schema `false`.
    var isNever: Bool {
        if rules.count == 1, case .never = rules[0] { true } else { false }
    }

    /// The subschemas that are applied to the same value.
    var inPlace: [Int] {
        rules.flatMap(\.inPlace)
    }
}

/// What a schema says about a value without refusing any.
package final class SchemaAnnotations: Sendable {
    /// A short name for people.
    package let title: String?
    /// What the value does, for people.
    package let description: String?
    /// The value while nothing else sets one.
    package let defaultValue: JSONValue?
    /// Values to learn from.
    package let examples: [JSONValue]
    /// Whether the value should no longer be used.
    package let isDeprecated: Bool
    /// Whether the value is not for its reader to change.
    package let isReadOnly: Bool
    /// Whether the value is a secret, which errors and listings must not show.
    package let isWriteOnly: Bool
    /// The keywords that begin with `x-`.
    package let extensions: JSONObject

    init(
        title: String?, description: String?, defaultValue: JSONValue?, examples: [JSONValue], isDeprecated: Bool,
        isReadOnly: Bool, isWriteOnly: Bool, extensions: JSONObject
    ) {
        self.title = title
        self.description = description
        self.defaultValue = defaultValue
        self.examples = examples
        self.isDeprecated = isDeprecated
        self.isReadOnly = isReadOnly
        self.isWriteOnly = isWriteOnly
        self.extensions = extensions
    }
}

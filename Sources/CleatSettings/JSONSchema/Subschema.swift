package import CleatJSON

/// One compiled schema: the whole, or one inside it.
struct Subschema: Sendable {
    /// The subschema around this one; the tokens are the keys of the JSON pointer from there.
    let parent: Int
    let tokens: [String]
    /// One rule for each keyword; those that depend on the members that others have seen are last.
    var rules: [SchemaRule] = []
    /// True if an `unevaluated…` of this subschema or of one around it depends on the members that the rules have seen.
    var isTracked = false
    var annotations: SchemaAnnotations?

    /// True if this is the schema `false`.
    var isNever: Bool {
        if rules.count == 1, case .never = rules[0] { true } else { false }
    }

    /// The subschemas that are applied to the same value.
    var inPlace: [Int] {
        rules.flatMap(\.inPlace)
    }
}

/// The keywords of a schema that describe a value without refusing any.
package final class SchemaAnnotations: Sendable {
    /// A short name for users.
    package let title: String?
    /// The effect of the value, for users.
    package let description: String?
    /// The value while it is unset.
    package let defaultValue: JSONValue?
    /// Example values.
    package let examples: [JSONValue]
    /// True if the value should no longer be used.
    package let isDeprecated: Bool
    /// True if the reader of the value must not change it.
    package let isReadOnly: Bool
    /// True if the value is a secret, which errors and listings must not show.
    package let isWriteOnly: Bool
    /// The keywords that begin with `x-`.
    package let extensions: JSONObject

    init(
        title: String? = nil, description: String? = nil, defaultValue: JSONValue? = nil, examples: [JSONValue] = [],
        isDeprecated: Bool = false, isReadOnly: Bool = false, isWriteOnly: Bool = false,
        extensions: JSONObject = JSONObject()
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

import CleatJSON

/// The rules of a schema that a value breaks.
package struct SchemaReport: Sendable {
    /// The violations, up to the number that the limits allow.
    package let violations: [SchemaViolation]
    /// The number of violations, including those that are not listed.
    package let count: Int
    /// True if the validation was completed; if the work exceeded the limits, the value counts as refused.
    package let isComplete: Bool

    /// True if the value breaks no rule.
    package var isValid: Bool { count == 0 && isComplete }
}

/// One rule that a value breaks.
package struct SchemaViolation: Hashable, Sendable, CustomStringConvertible {
    /// One step down into a value.
    package enum Step: Hashable, Sendable {
        /// The member of an object.
        case key(String)
        /// The element of a list, from 0.
        case index(Int)

        /// The step as a key of a JSON pointer.
        package var token: String {
            switch self {
            case .key(let name): name
            case .index(let index): String(index)
            }
        }
    }

    /// The place in the value, as steps from the top.
    package let path: [Step]
    /// The broken keyword: `minimum`; `false` for the schema that accepts nothing, `limit` for too much work.
    package let keyword: String
    /// The place of the keyword in the schema, as the keys of a JSON pointer.
    package let schemaPointer: [String]
    /// A short text of the value that was found; nil for a secret.
    package let value: String?
    /// True if the value that was found is neither an object nor a list.
    let isScalar: Bool
    /// One sentence without its subject: the value that was found, the rule and its limit.
    package let reason: String

    /// The place in the value, as a JSON pointer.
    package var instancePath: String { Self.pointer(path.map(\.token)) }
    /// The place in the schema, as a JSON pointer in a fragment.
    package var schemaPath: String { "#" + Self.pointer(schemaPointer) }

    /// The path and the reason.
    package var description: String { "\(path.isEmpty ? "the value" : instancePath) \(reason)" }

    /// The reason after the place inside the value; it follows the name of the whole value.
    var sentence: String {
        if path.isEmpty { return reason }
        let places = path.map { step in
            switch step {
            // The keys in a secret are part of the secret.
            case .key(let name): value == nil ? "a key" : "key “\(Excerpt.of(name))”"
            case .index(let index): "item \(index + 1)"
            }
        }
        return "(\(places.joined(separator: ", "))) \(reason)"
    }

    private static func pointer(_ tokens: [String]) -> String {
        tokens.map { "/" + SettingPath.escaped($0) }.joined()
    }
}

import CleatJSON

/// Says which rules of a schema a value breaks.
package struct SchemaReport: Sendable {
    /// The violations, up to the number that the limits allow.
    package let violations: [SchemaViolation]
    /// The number of violations, the untold ones included.
    package let count: Int
    /// Whether the check went to its end; where the work exceeded the limits, the value counts as refused.
    package let isComplete: Bool

    /// Whether the value breaks no rule.
    package var isValid: Bool { count == 0 && isComplete }
}

/// One rule that a value breaks.
package struct SchemaViolation: Hashable, Sendable, CustomStringConvertible {
    /// One step on the way down into a value.
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

    /// Where in the value, as steps from the top.
    package let path: [Step]
    /// The keyword that is broken: `minimum`; `false` for the schema that takes nothing, `limit` for too much work.
    package let keyword: String
    /// Where in the schema the keyword stands, as the keys of a JSON pointer.
    package let schemaPointer: [String]
    /// What was found there, short; nil for a secret.
    package let value: String?
    /// Whether what was found is neither an object nor a list.
    let isScalar: Bool
    /// One sentence without its subject: what was found, the rule and its limit.
    package let reason: String

    /// Where in the value, as a JSON pointer.
    package var instancePath: String { Self.pointer(path.map(\.token)) }
    /// Where in the schema, as a JSON pointer in a fragment.
    package var schemaPath: String { "#" + Self.pointer(schemaPointer) }

    /// The path and the reason.
    package var description: String { "\(path.isEmpty ? "the value" : instancePath) \(reason)" }

    /// The reason with the place inside the value before it, as it goes on after the name of the whole.
    var sentence: String {
        if path.isEmpty { return reason }
        let places = path.map { step in
            switch step {
            // The keys in a secret are part of it.
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

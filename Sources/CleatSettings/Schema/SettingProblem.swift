public import CleatJSON

/// Says why one value cannot be stored, or is stored but not in force.
public struct SettingProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// Names the rule that was broken.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the rule, as it stands on the wire.
        public let description: String

        init(_ description: String) {
            self.description = description
        }

        /// No setting has the path.
        public static let unknown = Code("unknown")
        /// A map does not take the key.
        public static let key = Code("key")
        /// The value is of another type.
        public static let type = Code("type")
        /// The value is none of those listed.
        public static let enumeration = Code("enum")
        /// The value is not the only one allowed.
        public static let constant = Code("const")
        /// The number is too small, too large, or no multiple.
        public static let range = Code("range")
        /// The string is too short or too long.
        public static let length = Code("length")
        /// The string does not match the pattern.
        public static let pattern = Code("pattern")
        /// The string has not the form that is asked for.
        public static let format = Code("format")
        /// The array or the object has too few or too many members.
        public static let count = Code("count")
        /// The array holds a value twice.
        public static let unique = Code("unique")
        /// Something that must be there is missing.
        public static let required = Code("required")
        /// The value fits none, or too many, of several alternatives (`anyOf`, `oneOf`, `not`, …).
        public static let combination = Code("combination")
        /// The settings are more, or take more, than the limits allow.
        public static let limit = Code("limit")
        /// A lock pins the path to a lower layer.
        public static let locked = Code("locked")
        /// The system cannot follow the value.
        public static let system = Code("system")
    }

    /// The path that the problem is at.
    public let path: SettingPath
    /// The value; nil where there is none, where it is or may be a secret, and where it is too long to repeat.
    public let value: JSONValue?
    /// The rule that was broken.
    public let code: Code
    /// One sentence that goes on after the path, with the remedy.
    public let reason: String

    /// Takes what is wrong.
    package init(path: SettingPath, value: JSONValue?, code: Code, reason: String) {
        self.path = path
        self.value = value.flatMap { SettingSize.of($0) > 1024 ? nil : $0 }
        self.code = code
        self.reason = reason
    }

    /// The path and the reason.
    public var description: String { "\(path) \(reason)" }
}

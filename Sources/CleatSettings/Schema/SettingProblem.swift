public import CleatJSON

/// The reason why one value cannot be stored, or is stored but not in force.
public struct SettingProblem: Error, Hashable, Sendable, CustomStringConvertible {
    /// The rule that was broken.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the rule on the wire.
        public let description: String

        init(_ description: String) {
            self.description = description
        }

        /// The schema does not know the path.
        public static let unknown = Code("unknown")
        /// A map does not accept the key.
        public static let key = Code("key")
        /// The value has a wrong type.
        public static let type = Code("type")
        /// The value is not one of those listed.
        public static let enumeration = Code("enum")
        /// The value is not the only valid one.
        public static let constant = Code("const")
        /// The number is too small, too large, or not a multiple.
        public static let range = Code("range")
        /// The string is too short or too long.
        public static let length = Code("length")
        /// The string does not match the pattern.
        public static let pattern = Code("pattern")
        /// The string does not have the required form.
        public static let format = Code("format")
        /// The array or the object has too few or too many members.
        public static let count = Code("count")
        /// The array contains a value twice.
        public static let unique = Code("unique")
        /// A required setting is missing.
        public static let required = Code("required")
        /// The value fits none, or too many, of several alternatives (`anyOf`, `oneOf`, `not`, …).
        public static let combination = Code("combination")
        /// The number or the size of the settings exceeds a limit.
        public static let limit = Code("limit")
        /// A lock pins the path to a lower layer.
        public static let locked = Code("locked")
        /// The system cannot apply the value.
        public static let system = Code("system")
    }

    /// The path of the problem.
    public let path: SettingPath
    /// The value; nil if there is none, if it is or may be a secret, and if it is too long to repeat.
    public let value: JSONValue?
    /// The rule that was broken.
    public let code: Code
    /// One sentence that follows the path, with the remedy.
    public let reason: String

    /// Makes a problem.
    package init(path: SettingPath, value: JSONValue?, code: Code, reason: String) {
        self.path = path
        self.value = value.flatMap { SettingSize.of($0) > 1024 ? nil : $0 }
        self.code = code
        self.reason = reason
    }

    /// The path and the reason.
    public var description: String { "\(path) \(reason)" }
}

extension [SettingProblem] {
    /// Returns the problems in the order of their paths; the program has this sort once.
    @inline(never)
    package func sortedByPath() -> [SettingProblem] { sorted { $0.path < $1.path } }
}

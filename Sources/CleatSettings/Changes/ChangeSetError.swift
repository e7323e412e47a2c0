/// The reason why changes cannot be in one set, found before any of them is compared with the schema.
public struct ChangeSetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault in a set of changes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the fault in machine-readable output.
        public let description: String

        init(_ description: String) {
            self.description = description
        }

        /// The set has more changes than ``ChangeSet/maximumCount``, objects counted leaf by leaf.
        public static let tooMany = Code("too_many")
        /// Two changes name the same path.
        public static let samePath = Code("same_path")
        /// One change names a path and another one a path above it, and the two do not empty an entry together.
        public static let overlap = Code("overlap")
        /// A value takes more than ``ChangeSet/maximumValueBytes``, or all together more than
        /// ``ChangeSet/maximumBytes``.
        public static let valueTooLarge = Code("value_too_large")
        /// A value is nested deeper than ``ChangeSet/maximumDepth``.
        public static let valueTooDeep = Code("value_too_deep")
        /// A value holds a number that JSON cannot represent.
        public static let notANumber = Code("not_a_number")
        /// A key of an object cannot be part of a path.
        public static let invalidPath = Code("invalid_path")
    }

    /// The kind of fault.
    public let code: Code
    /// The path of the change at fault; nil if the set as a whole is at fault.
    public let path: SettingPath?
    /// The limit that was exceeded; nil if the fault is not a limit.
    public let limit: Int?
    /// One sentence with the path, the fault and the remedy.
    public let description: String

    init(_ code: Code, _ path: SettingPath?, limit: Int? = nil, _ description: String) {
        self.code = code
        self.path = path
        self.limit = limit
        self.description = description
    }
}

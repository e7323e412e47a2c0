/// Says why changes cannot be made together, before any of them is compared with the schema.
public struct ChangeSetError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Names what is wrong with a set of changes.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the fault, as it stands in machine-readable output.
        public let description: String

        init(_ description: String) {
            self.description = description
        }

        /// There are more changes than ``ChangeSet/maximumCount``, objects counted leaf by leaf.
        public static let tooMany = Code("too_many")
        /// Two changes name the same path.
        public static let samePath = Code("same_path")
        /// One change names a path and another one what stands above it, and they do not empty an entry together.
        public static let overlap = Code("overlap")
        /// A value takes more than ``ChangeSet/maximumValueBytes``, or all together more than
        /// ``ChangeSet/maximumBytes``.
        public static let valueTooLarge = Code("value_too_large")
        /// A value is nested deeper than ``ChangeSet/maximumDepth``.
        public static let valueTooDeep = Code("value_too_deep")
        /// A value holds a number that JSON does not have.
        public static let notANumber = Code("not_a_number")
        /// A key of an object cannot be part of a path.
        public static let invalidPath = Code("invalid_path")
    }

    /// What is wrong.
    public let code: Code
    /// The path of the change at fault; nil where the set as a whole is.
    public let path: SettingPath?
    /// The limit that was passed, where there is one.
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

/// The reason why a regular expression is refused, and its place.
package struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault in a pattern.
    package struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the fault.
        package let description: String

        init(_ description: String) {
            self.description = description
        }

        /// The text does not follow the grammar.
        package static let syntax = Code("syntax")
        /// The pattern refers back to a group.
        package static let backReference = Code("back_reference")
        /// The pattern looks ahead or behind.
        package static let lookAround = Code("look_around")
        /// The pattern uses another construct that this matcher does not support.
        package static let unsupported = Code("unsupported")
        /// The pattern is longer, deeper or larger than the limits.
        package static let tooLarge = Code("too_large")
    }

    /// The kind of fault.
    package let code: Code
    /// The place in the pattern, in Unicode scalars from 1.
    package let column: Int
    /// The fault and the remedy.
    package let message: String

    /// The column and the message.
    package var description: String { "pattern, column \(column): \(message)" }
}

/// The reason why a regular expression is refused, and its place.
package struct PatternError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kind of fault in a pattern.
    package enum Code: String, Sendable, CustomStringConvertible {
        /// The text does not follow the grammar.
        case syntax
        /// The pattern refers back to a group.
        case backReference = "back_reference"
        /// The pattern looks ahead or behind.
        case lookAround = "look_around"
        /// The pattern uses another construct that this matcher does not support.
        case unsupported
        /// The pattern is longer, deeper or larger than the limits.
        case tooLarge = "too_large"

        /// The name of the fault.
        package var description: String { rawValue }
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

/// A mistake in the text of an interface description, with its position.
package struct IDLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of the mistake.
    package enum Code: String, Sendable, CustomStringConvertible {
        /// The text breaks the grammar.
        case syntax
        /// A name breaks the rules for its kind.
        case badName
        /// A member or a field is declared twice.
        case duplicate
        /// A type is used, but not declared.
        case undefinedType
        /// The text is longer than the limit.
        case tooLarge
        /// Types are nested deeper than the limit.
        case tooDeep

        /// The code's name.
        package var description: String { rawValue }
    }

    /// The kind of the mistake.
    package let code: Code
    /// The line, from 1.
    package let line: Int
    /// The column in characters, from 1.
    package let column: Int
    /// The mistake, and what was expected instead.
    package let message: String

    /// The position and the mistake.
    package var description: String { "line \(line), column \(column): \(message)" }
}

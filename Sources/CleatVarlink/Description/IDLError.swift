/// A mistake in the text of an interface description, with its position.
package struct IDLError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of the mistake.
    package struct Code: Sendable, Equatable, CustomStringConvertible {
        private enum Kind: String { case syntax, badName, duplicate, undefinedType, tooLarge, tooDeep }
        private let kind: Kind

        /// The text breaks the grammar.
        package static let syntax = Code(kind: .syntax)
        /// A name breaks the rules for its kind.
        package static let badName = Code(kind: .badName)
        /// A member or a field is declared twice.
        package static let duplicate = Code(kind: .duplicate)
        /// A type is used, but not declared.
        package static let undefinedType = Code(kind: .undefinedType)
        /// The text is longer than the limit.
        package static let tooLarge = Code(kind: .tooLarge)
        /// Types are nested deeper than the limit.
        package static let tooDeep = Code(kind: .tooDeep)

        /// The code's name.
        package var description: String { kind.rawValue }
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

internal import CleatAPI
internal import CleatJSON

/// Says what is wrong in a hook file, and where.
package struct HookFileError: Error, Hashable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int
    /// The column, from 1.
    package let column: Int
    /// What is wrong and what to do, without the place.
    package let message: String

    init(at position: JSONPosition, _ message: String) {
        line = position.line
        column = position.column
        self.message = message
    }

    package var description: String { "line \(line), column \(column): \(message)" }

    /// Returns the error as it goes over the wire.
    func problem(in file: String) -> HookProblem {
        HookProblem(file: file, line: line, column: column, message: message)
    }
}

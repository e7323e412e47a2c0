internal import CleatAPI
internal import CleatJSON

/// An error in a hook file, with its position.
package struct HookFileError: Error, Hashable, CustomStringConvertible {
    /// The line, from 1.
    package let line: Int
    /// The column, from 1.
    package let column: Int
    /// The problem and the remedy, without the position.
    package let message: String

    init(at position: JSONPosition, _ message: String) {
        line = position.line
        column = position.column
        self.message = message
    }

    package var description: String { "line \(line), column \(column): \(message)" }

    /// Returns the error as it is sent to clients.
    func problem(in file: String) -> HookProblem {
        HookProblem(file: file, line: line, column: column, message: message)
    }
}

/// The reason why a hook file is not in force.
package struct HookProblem: Codable, Hashable, Sendable {
    /// The file.
    package var file: String
    /// The line, from 1.
    package var line: Int?
    /// The column, from 1.
    package var column: Int?
    /// The problem and its remedy.
    package var message: String

    /// Creates a problem.
    package init(file: String, line: Int? = nil, column: Int? = nil, message: String) {
        self.file = file
        self.line = line
        self.column = column
        self.message = message
    }
}
